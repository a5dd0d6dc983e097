-- What usage_events becomes (sql/repartition-usage.ts copies it while everything works, then exchanges the two): partitioned by when
-- an event was received. By when it happened, which its sender chooses, one batch could make thousands of parts.
-- time_range: what lies outside of a question's interval is passed over as partitions of months were.
CREATE TABLE IF NOT EXISTS usage_events_next (
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
  received_at DateTime64(3, 'UTC'),
  INDEX position_range position TYPE minmax GRANULARITY 1,
  INDEX fingerprint_bloom fingerprint TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX time_range time_created TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (account_id, customer_id, event_name, time_created)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1,
  vertical_merge_algorithm_min_columns_to_activate = 1;
