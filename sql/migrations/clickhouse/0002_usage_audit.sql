-- The standing audit: per account and hour of receipt (milliseconds since the epoch), what the stream holds as accepted and what
-- the claims say became of it. Rows of one key add up in merges, so it has one row per account and hour in the end.
-- Each insert is one block: its counts and how far it went (audited_to, a sequence of the usage stream) are there together or not
-- at all. A row of the account '' always says how far.
CREATE TABLE IF NOT EXISTS usage_audit (
  account_id String,
  hour Int64,
  epoch UInt32,
  partition UInt16,
  accepted SimpleAggregateFunction(sum, Int64),
  landed SimpleAggregateFunction(sum, Int64),
  repeated SimpleAggregateFunction(sum, Int64),
  dead_lettered SimpleAggregateFunction(sum, Int64),
  audited_to SimpleAggregateFunction(max, UInt64)
)
ENGINE = AggregatingMergeTree
ORDER BY (account_id, hour, epoch, partition)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;
