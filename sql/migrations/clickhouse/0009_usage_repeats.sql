-- Events that did not count since their id had landed, for 30 days: what a trace tells of repeats (spec/events#trace). A batch that
-- lands again brings the same rows again: they collapse in merges, and whoever counts them counts each place once.
CREATE TABLE IF NOT EXISTS usage_repeats (
  fingerprint UInt128,
  position UInt64,
  epoch UInt32,
  received_at DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree
ORDER BY (fingerprint, epoch, position)
TTL toDateTime(received_at) + INTERVAL 30 DAY
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1;
