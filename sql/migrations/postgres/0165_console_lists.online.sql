-- Indexes of what the console's pages list (spec/api#lists). Built while others write, as all of 0103.

CREATE INDEX CONCURRENTLY IF NOT EXISTS customers_newest_of_clock ON customers (account_id, test_clock_id, seq DESC)
  WHERE test_clock_id IS NOT NULL AND deleted_at IS NULL;

CREATE INDEX CONCURRENTLY IF NOT EXISTS invoices_by_total ON invoices (account_id, total, seq);
-- By bytes: the beginning of a number is a range only there.
CREATE INDEX CONCURRENTLY IF NOT EXISTS invoices_by_number ON invoices (account_id, invoice_number COLLATE "C");
-- The latest instant that a customer's today is reckoned from.
CREATE INDEX CONCURRENTLY IF NOT EXISTS test_clocks_by_time ON test_clocks (account_id, frozen_time);

-- The deliveries of all endpoints.
CREATE INDEX CONCURRENTLY IF NOT EXISTS webhook_deliveries_newest_of_all ON webhook_deliveries (account_id, seq DESC);
CREATE INDEX CONCURRENTLY IF NOT EXISTS webhook_deliveries_newest_of_all_of_status
  ON webhook_deliveries (account_id, status, seq DESC);
CREATE INDEX CONCURRENTLY IF NOT EXISTS webhook_deliveries_failing ON webhook_deliveries (account_id, seq DESC)
  WHERE status = 'failed' OR (status = 'pending' AND (stage <> 'queued' OR round > 1));
