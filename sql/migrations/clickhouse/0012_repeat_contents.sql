-- A hash of each repeat's content, to be compared with that of its first event (spec/events#repeats). 0: an earlier release kept the row.
-- The same expression as CONTENT_HASH in sql/clickhouse/usage/usage-repeats.ts. A batch's repeats are found by position.
ALTER TABLE usage_repeats
  ADD COLUMN IF NOT EXISTS content UInt128,
  ADD INDEX IF NOT EXISTS position_range position TYPE minmax GRANULARITY 1000;

-- The aggregator inserts whole rows of repeats here. Nothing of them is kept but what the view below makes of them.
CREATE TABLE IF NOT EXISTS usage_repeats_input (
  account_id String,
  customer_id String,
  event_name String,
  time_created DateTime64(3, 'UTC'),
  idempotency_id String,
  numbers Map(String, Decimal(38, 18)),
  strings Map(String, String),
  booleans Map(String, Bool),
  fingerprint UInt128,
  position UInt64,
  epoch UInt32,
  received_at DateTime64(3, 'UTC')
)
ENGINE = Null;

CREATE MATERIALIZED VIEW IF NOT EXISTS usage_repeats_filler TO usage_repeats AS
SELECT fingerprint, position, epoch, received_at,
  reinterpretAsUInt128(sipHash128(customer_id, event_name, time_created, mapSort(numbers), mapSort(strings), mapSort(booleans))) AS content
FROM usage_repeats_input;
