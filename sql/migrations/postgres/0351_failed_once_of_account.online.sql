-- Accounts take turns where failed first attempts are handed to workflows.
CREATE INDEX CONCURRENTLY IF NOT EXISTS webhook_deliveries_failed_once_of_account ON webhook_deliveries (account_id, seq) WHERE stage = 'failed_once';
