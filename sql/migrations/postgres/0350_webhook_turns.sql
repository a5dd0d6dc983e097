-- Accounts take turns where events are given out to endpoints (spec/webhooks#delivery).
CREATE INDEX webhook_events_of_account ON webhook_events (account_id, seq);

-- Secrets that sign until their own ends, beside the previous one: [{"sealed": hex, "key_id", "until"}], the newest first.
ALTER TABLE webhook_endpoints ADD COLUMN older_secrets jsonb NOT NULL DEFAULT '[]';
