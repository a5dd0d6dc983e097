-- Usage counted beforehand (spec/metrics#usage): one row per customer, event name, hour and span of the stream. A span is a run of
-- positions that had all landed when it was rolled up, so its rows never change; those of a customer are erased with the events.
-- The rows of a span that was rolled up twice are equal: they collapse in merges, and a query takes any of them.
CREATE TABLE IF NOT EXISTS usage_rollups (
  account_id String,
  customer_id String,
  event_name String,
  -- Start of an hour of UTC, in milliseconds.
  hour Int64,
  span_to UInt64,
  events UInt64,
  -- By property: sum and maximum of those that are numeric (spec/events#property-values).
  numbers Map(String, Tuple(total Decimal(76, 18), highest Decimal(38, 18)))
)
ENGINE = ReplacingMergeTree
ORDER BY (account_id, customer_id, event_name, hour, span_to)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- Spans whose rows are complete: positions above span_from up to span_to. `large`: customers with many events in it.
CREATE TABLE IF NOT EXISTS usage_rollup_spans (
  span_from UInt64,
  span_to UInt64,
  large Array(Tuple(account_id String, customer_id String))
)
ENGINE = MergeTree
ORDER BY (span_from, span_to)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
