-- What waits for its invoice is asked wherever something is billed, and is few of all periods.
CREATE INDEX CONCURRENTLY IF NOT EXISTS periods_unbilled ON periods (account_id, subscription_id, period_index) WHERE waits;
