-- Changes of subscriptions without an Idempotency-Key whose answer has not reached the caller. A repeat of the call finds what the
-- first one did by its operation_id (spec/subscriptions#repeats). A row is deleted as soon as the answer is sent.
CREATE TABLE unanswered_calls (
  account_id text NOT NULL REFERENCES accounts,
  subscription_id text NOT NULL,
  call_hash text NOT NULL,
  operation_id text NOT NULL,
  -- The call ended without an answer. Otherwise it may still be running.
  is_lost boolean NOT NULL DEFAULT false,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, subscription_id, call_hash)
);
CREATE INDEX unanswered_calls_by_expiry ON unanswered_calls (expires_at);
