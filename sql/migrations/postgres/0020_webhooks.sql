-- Webhook endpoints, what is to be told to them, and the log of it (spec/webhooks#events).

-- triggers_in null: every type, also those to come. Secrets are sealed under the key of their key_id; the previous one signs
-- too until its time. failing_since: the first failure since the last success.
CREATE TABLE webhook_endpoints (
  account_id text NOT NULL REFERENCES accounts,
  webhook_endpoint_id text NOT NULL UNIQUE,
  name text,
  webhook_url text NOT NULL,
  triggers_in text[] CHECK (cardinality(triggers_in) > 0),
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled')),
  sealed_secret bytea NOT NULL,
  key_id text NOT NULL,
  previous_sealed_secret bytea,
  previous_key_id text,
  previous_until timestamptz,
  failing_since timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  seq bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (account_id, webhook_endpoint_id),
  CHECK (num_nulls(previous_sealed_secret, previous_key_id, previous_until) IN (0, 3))
);

-- Events that no endpoint has been given yet. A table of its own: the outbox row is locked while workflows are started,
-- and an absence of theirs must not hold up webhooks.
CREATE TABLE webhook_events (
  account_id text NOT NULL,
  event_id text PRIMARY KEY REFERENCES outbox_events ON DELETE CASCADE,
  seq bigint NOT NULL
);
CREATE INDEX webhook_events_next ON webhook_events (seq);

-- One per event and endpoint. Events of one lane go to one endpoint in order. A pending one is in the hands of the
-- dispatcher ('queued', claimed_until while it sends), of nobody yet ('failed_once'), or of its workflow ('retrying').
-- A redelivery begins a new round of attempts.
CREATE TABLE webhook_deliveries (
  account_id text NOT NULL,
  delivery_id text NOT NULL,
  webhook_endpoint_id text NOT NULL,
  event_id text NOT NULL REFERENCES outbox_events ON DELETE CASCADE,
  event_type text NOT NULL,
  lane text NOT NULL,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'succeeded', 'failed')),
  stage text DEFAULT 'queued' CHECK (stage IN ('queued', 'failed_once', 'retrying')),
  round integer NOT NULL DEFAULT 1,
  tries integer NOT NULL DEFAULT 0,
  first_tried_at timestamptz,
  next_attempt_at timestamptz DEFAULT now(),
  claimed_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  seq bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (account_id, delivery_id),
  UNIQUE (account_id, webhook_endpoint_id, event_id),
  FOREIGN KEY (account_id, webhook_endpoint_id) REFERENCES webhook_endpoints ON DELETE CASCADE,
  CHECK ((status = 'pending') = (stage IS NOT NULL)),
  CHECK ((status = 'pending') = (next_attempt_at IS NOT NULL))
);
CREATE INDEX webhook_deliveries_queued ON webhook_deliveries (webhook_endpoint_id, seq) WHERE stage = 'queued';
CREATE INDEX webhook_deliveries_failed_once ON webhook_deliveries (seq) WHERE stage = 'failed_once';
CREATE INDEX webhook_deliveries_retrying ON webhook_deliveries (next_attempt_at) WHERE stage = 'retrying';
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (account_id, webhook_endpoint_id) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_newest ON webhook_deliveries (account_id, webhook_endpoint_id, seq DESC);
CREATE INDEX webhook_deliveries_of_event ON webhook_deliveries (event_id);
CREATE INDEX webhook_deliveries_created ON webhook_deliveries (created_at);

CREATE TABLE webhook_attempts (
  account_id text NOT NULL,
  delivery_id text NOT NULL,
  at timestamptz NOT NULL,
  status_code integer,
  error text,
  duration_ms integer NOT NULL CHECK (duration_ms >= 0),
  seq bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (account_id, delivery_id, seq),
  FOREIGN KEY (account_id, delivery_id) REFERENCES webhook_deliveries ON DELETE CASCADE
);
