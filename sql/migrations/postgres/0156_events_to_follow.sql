-- What a payment processor told of, or a new connection to one, until it has been looked at: the workflow that does so may be lost.
CREATE TABLE processor_events_to_follow (
  account_id text NOT NULL REFERENCES accounts,
  event_id text NOT NULL REFERENCES outbox_events ON DELETE CASCADE,
  PRIMARY KEY (account_id, event_id)
);
CREATE INDEX processor_events_to_follow_of_event ON processor_events_to_follow (event_id);
