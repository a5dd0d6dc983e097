-- Usage of a customer by a price book, counted beforehand (spec/price-books#rollups): one row per combination, day and span of the stream.
-- `rule`: a hash of which events are counted, and by which properties. A span's rows never change; those of a customer are erased with the
-- events. The rows of a span that was rolled up twice are equal: they collapse in merges, and a query takes any of them.
CREATE TABLE IF NOT EXISTS usage_book_rollups (
  account_id String,
  customer_id String,
  rule String,
  span_to UInt64,
  -- Start of a day of UTC, in milliseconds.
  day Int64,
  -- Of the texts.
  combination UInt128,
  -- Of the properties that the book groups by, in its order; null: the events do not have it.
  texts Array(Nullable(String)),
  events UInt64,
  -- When the earliest event happened, in milliseconds.
  first Int64,
  -- Sum and maximum of the metric's property, where any of the events has a number there.
  total Decimal(76, 18),
  highest Decimal(38, 18),
  has_number Bool
)
ENGINE = ReplacingMergeTree
ORDER BY (account_id, customer_id, rule, span_to, day, combination)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- Spans of a customer and rule: positions above span_from up to span_to. Their rows are complete, or there are none, since they would be too
-- many (`left_out`): then its events are read one by one.
CREATE TABLE IF NOT EXISTS usage_book_spans (
  account_id String,
  customer_id String,
  rule String,
  span_from UInt64,
  span_to UInt64,
  left_out Bool
)
ENGINE = MergeTree
ORDER BY (account_id, customer_id, rule, span_from, span_to)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
