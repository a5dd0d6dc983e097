-- What is not kept for ever is looked for by age (sql/retention.ts).
CREATE INDEX operations_by_age ON operations (created_at);
CREATE INDEX outbox_by_age ON outbox_events (relayed_at) WHERE relayed_at IS NOT NULL;
CREATE INDEX processor_events_by_age ON processor_events (received_at);
CREATE INDEX oauth_states_by_age ON oauth_states (created_at);
