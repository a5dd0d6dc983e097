-- What was changed, by whom and from where (spec/audit-log): written in the transaction of the change, never changed after but for the
-- personal data of a customer that is erased. No reference to accounts: the lock of one row would stand in the way of every write.
CREATE TABLE audit_entries (
  account_id text NOT NULL,
  audit_id text NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  at timestamptz NOT NULL DEFAULT date_trunc('milliseconds', now()),
  actor_type text NOT NULL CHECK (actor_type IN ('key', 'console', 'cli', 'system')),
  key_id text,
  action text NOT NULL,
  resource_type text NOT NULL,
  resource_id text NOT NULL,
  customer_id text,
  before jsonb,
  after jsonb,
  changed_fields text[] NOT NULL,
  request_id text,
  ip text,
  PRIMARY KEY (account_id, audit_id),
  CHECK ((key_id IS NOT NULL) = (actor_type IN ('key', 'console')))
);
-- Lists are newest first, by each filter.
CREATE INDEX audit_entries_newest ON audit_entries (account_id, seq DESC);
CREATE INDEX audit_entries_at ON audit_entries (account_id, at DESC, seq DESC);
CREATE INDEX audit_entries_of_key ON audit_entries (account_id, key_id, seq DESC) WHERE key_id IS NOT NULL;
CREATE INDEX audit_entries_of_action ON audit_entries (account_id, action, seq DESC);
CREATE INDEX audit_entries_of_resource ON audit_entries (account_id, resource_id, seq DESC);
CREATE INDEX audit_entries_of_customer ON audit_entries (account_id, customer_id, seq DESC) WHERE customer_id IS NOT NULL;
