-- What a subscription's life needs besides its state: planned cancels, pauses, and what waits to be invoiced (spec/subscriptions#pause).

-- cancel_terms: how the cancel planned for cancel_at is billed. bills_at: when what an immediate cancel left is invoiced.
ALTER TABLE subscriptions
  ADD COLUMN cancel_terms jsonb,
  ADD COLUMN bills_at timestamptz,
  ADD CONSTRAINT subscriptions_cancel_planned CHECK ((cancel_at IS NULL) = (cancel_terms IS NULL)),
  ADD CONSTRAINT subscriptions_paused CHECK ((status = 'paused') = (paused_at IS NOT NULL)),
  ADD CONSTRAINT subscriptions_bills_at CHECK (bills_at IS NULL OR status = 'canceled');
CREATE INDEX subscriptions_billing_later ON subscriptions (account_id, subscription_id) WHERE bills_at IS NOT NULL;

-- A period that ended in a pause: its invoice waits for the resume or the cancel.
ALTER TABLE periods ADD COLUMN waits boolean NOT NULL DEFAULT false;

-- Pauses, by instant (usage in them is not billed) and by date in the customer's zone (days of them cost no fee).
CREATE TABLE pauses (
  account_id text NOT NULL,
  subscription_id text NOT NULL,
  paused_at timestamptz NOT NULL,
  paused_on date NOT NULL,
  resumed_at timestamptz CHECK (resumed_at >= paused_at),
  resumed_on date CHECK (resumed_on >= paused_on),
  reason text,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (account_id, subscription_id, seq),
  FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions,
  CHECK ((resumed_at IS NULL) = (resumed_on IS NULL))
);
CREATE UNIQUE INDEX pauses_one_open ON pauses (account_id, subscription_id) WHERE resumed_at IS NULL;

-- Lines of an immediate cancel, with exact amounts, until the customer's next invoice takes them.
CREATE TABLE waiting_lines (
  account_id text NOT NULL,
  customer_id text NOT NULL,
  subscription_id text NOT NULL,
  line json NOT NULL,
  invoice_id text,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (account_id, customer_id, seq),
  FOREIGN KEY (account_id, customer_id) REFERENCES customers,
  FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions,
  FOREIGN KEY (account_id, invoice_id) REFERENCES invoices
);
CREATE INDEX waiting_lines_waiting ON waiting_lines (account_id, customer_id, seq) WHERE invoice_id IS NULL;
