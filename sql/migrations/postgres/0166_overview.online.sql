-- Indexes of the account at a glance (spec/overview). Built while others write, as all of 0103.

-- What an invoice adds to its day, without a look at the invoice.
CREATE INDEX CONCURRENTLY IF NOT EXISTS invoices_by_day ON invoices (account_id, issue_date) INCLUDE (currency, status, subtotal);
CREATE INDEX CONCURRENTLY IF NOT EXISTS payments_by_time ON payments (account_id, paid_at);
CREATE INDEX CONCURRENTLY IF NOT EXISTS payment_attempts_failed ON payment_attempts (account_id, settled_at) WHERE status = 'failed';
-- Which periods close first.
CREATE INDEX CONCURRENTLY IF NOT EXISTS periods_closing ON periods (account_id, ends_at) WHERE closed_at IS NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS subscriptions_cancelling ON subscriptions (account_id, cancel_at)
  WHERE status = 'active' AND cancel_at IS NOT NULL;
