-- Texts counted beforehand (spec/metrics#usage): when each text of a property was first and last seen in a month, as a hash as wide as
-- uniqExact's own. Rows of one text add up in merges, whatever spans they come of: a set stays what it is when something is added twice.
CREATE TABLE IF NOT EXISTS usage_texts (
  account_id String,
  customer_id String,
  event_name String,
  property String,
  -- Of UTC, as in 202611.
  month UInt32,
  text UInt128,
  first SimpleAggregateFunction(min, DateTime64(3, 'UTC')),
  last SimpleAggregateFunction(max, DateTime64(3, 'UTC')),
  -- The highest of an event that had it.
  position SimpleAggregateFunction(max, UInt64)
)
ENGINE = AggregatingMergeTree
ORDER BY (account_id, customer_id, event_name, property, month, text)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- By span, the properties that usage_texts tells all texts of: every event of that name has one, few enough differ.
CREATE TABLE IF NOT EXISTS usage_text_spans (
  span_from UInt64,
  span_to UInt64,
  properties Array(Tuple(account_id String, customer_id String, event_name String, property String))
)
ENGINE = MergeTree
ORDER BY (span_from, span_to)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
