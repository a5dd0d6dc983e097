-- The invoices of an account that have become past due, the longest over first.
CREATE INDEX CONCURRENTLY IF NOT EXISTS past_due_waits_of_account ON past_due_waits (account_id, due_at);
