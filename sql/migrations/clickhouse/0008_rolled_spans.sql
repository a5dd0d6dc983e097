-- As usage_rollup_spans, and who is left out: customers whose events had too many properties, so that the span has no rollups of
-- them. A table of its own, since the release before would answer from the spans that it reads as if nobody was left out.
CREATE TABLE IF NOT EXISTS usage_rolled_spans (
  span_from UInt64,
  span_to UInt64,
  large Array(Tuple(account_id String, customer_id String)),
  left_out Array(Tuple(account_id String, customer_id String))
)
ENGINE = MergeTree
ORDER BY (span_from, span_to)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- A span that is there twice counts once.
INSERT INTO usage_rolled_spans SELECT span_from, span_to, large, [] FROM usage_rollup_spans;
