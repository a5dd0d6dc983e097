-- The rows of all price books of a version, in the order in which they came.
CREATE INDEX CONCURRENTLY IF NOT EXISTS price_rows_in_order ON price_rows (account_id, version_id, seq);
