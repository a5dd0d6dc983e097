-- An index for each field that a list is sorted by: the account, the field, then the age, read forwards or backwards. Built
-- while others write, as all of 0103.

CREATE INDEX CONCURRENTLY IF NOT EXISTS customers_by_created ON customers (account_id, created_at, seq) WHERE deleted_at IS NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS customers_by_name ON customers (account_id, lower(customer_name), seq) WHERE deleted_at IS NULL;

CREATE INDEX CONCURRENTLY IF NOT EXISTS subscriptions_by_created ON subscriptions (account_id, created_at, seq);
CREATE INDEX CONCURRENTLY IF NOT EXISTS subscriptions_by_start ON subscriptions (account_id, start_date, seq);

CREATE INDEX CONCURRENTLY IF NOT EXISTS invoices_by_created ON invoices (account_id, created_at, seq);
CREATE INDEX CONCURRENTLY IF NOT EXISTS invoices_by_issued ON invoices (account_id, issue_date, seq);
CREATE INDEX CONCURRENTLY IF NOT EXISTS invoices_by_due ON invoices (account_id, due_date, seq);
CREATE INDEX CONCURRENTLY IF NOT EXISTS invoices_by_amount_due ON invoices (account_id, amount_due, seq);
-- Open ones, the longest due first: those due first of all invoices were paid long ago.
CREATE INDEX CONCURRENTLY IF NOT EXISTS invoices_open_by_due ON invoices (account_id, due_date, seq) WHERE status = 'open';
-- Nearly all are of kind 'period': these are found on the way.
CREATE INDEX CONCURRENTLY IF NOT EXISTS invoices_newest_of_kind ON invoices (account_id, kind, seq DESC) WHERE kind <> 'period';

CREATE INDEX CONCURRENTLY IF NOT EXISTS credits_by_created ON credits (account_id, created_at, seq);
CREATE INDEX CONCURRENTLY IF NOT EXISTS credits_by_expiry ON credits (account_id, expires_at, seq);

CREATE INDEX CONCURRENTLY IF NOT EXISTS refunds_by_created ON refunds (account_id, created_at, seq);
CREATE INDEX CONCURRENTLY IF NOT EXISTS refunds_by_amount ON refunds (account_id, amount, seq);
