-- Payment processors (spec/payments#processors): who is connected, what was tried to be collected, what the processors told us.

-- An account's grant. The tokens are sealed by AES-256-GCM with the row's name authenticated, under the key of key_id.
CREATE TABLE processor_connections (
  account_id text NOT NULL REFERENCES accounts,
  provider text NOT NULL CHECK (provider IN ('stripe', 'braintree')),
  external_account_id text NOT NULL,
  sealed_tokens bytea NOT NULL,
  key_id text NOT NULL,
  tokens_expire_at timestamptz,
  connected_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, provider)
);
CREATE INDEX processor_connections_of_external ON processor_connections (provider, external_account_id);

-- An authorization under way. Only the state's SHA-256 is stored; the row is deleted by its one use (10 minutes at most).
CREATE TABLE oauth_states (
  account_id text NOT NULL REFERENCES accounts,
  state_hash text NOT NULL UNIQUE,
  provider text NOT NULL CHECK (provider IN ('stripe', 'braintree')),
  redirect_url text NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, state_hash)
);

-- A try to collect what is due of an invoice. It is committed before the processor is asked, and its id is the processor's
-- idempotency key. created_at is the customer's time. origin: the due date's timer, or a call of /pay.
CREATE TABLE payment_attempts (
  account_id text NOT NULL,
  attempt_id text NOT NULL,
  invoice_id text NOT NULL,
  provider text NOT NULL CHECK (provider IN ('stripe', 'braintree')),
  payer text NOT NULL,
  payment_method text NOT NULL,
  amount numeric NOT NULL CHECK (amount > 0),
  currency text NOT NULL,
  origin text NOT NULL CHECK (origin IN ('due', 'call')),
  operation_id text,
  status text NOT NULL
    CHECK (status IN ('created', 'processing', 'requires_action', 'succeeded', 'failed', 'unknown')),
  reference text,
  failure_code text,
  failure_message text,
  dispute_status text,
  created_at timestamptz NOT NULL,
  settled_at timestamptz,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (account_id, attempt_id),
  FOREIGN KEY (account_id, invoice_id) REFERENCES invoices,
  CHECK ((status IN ('succeeded', 'failed')) = (settled_at IS NOT NULL)),
  CHECK (status <> 'succeeded' OR reference IS NOT NULL)
);
-- One attempt that lives or has the money per invoice, whatever the code above does.
CREATE UNIQUE INDEX payment_attempts_one_live ON payment_attempts (account_id, invoice_id) WHERE status <> 'failed';
CREATE INDEX payment_attempts_of_invoice ON payment_attempts (account_id, invoice_id, seq);
CREATE INDEX payment_attempts_of_reference ON payment_attempts (account_id, provider, reference);

-- Inbound events that were taken, each once however often it is sent.
CREATE TABLE processor_events (
  account_id text NOT NULL REFERENCES accounts,
  provider text NOT NULL,
  event_id text NOT NULL,
  type text NOT NULL,
  received_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, provider, event_id)
);
