-- One payer: who is billed to whom. A table beside the customers, of which the release before selects all columns.
CREATE TABLE billed_to (
  account_id text NOT NULL,
  customer_id text NOT NULL,
  payer_id text NOT NULL CHECK (payer_id <> customer_id),
  PRIMARY KEY (account_id, customer_id),
  FOREIGN KEY (account_id, customer_id) REFERENCES customers,
  FOREIGN KEY (account_id, payer_id) REFERENCES customers
);
CREATE INDEX billed_to_payer ON billed_to (account_id, payer_id, customer_id);

-- Parts of consolidated invoices: what time has made due of a payer or of those billed to it. Each waits with its lines until all that is
-- due at that instant is there, and is then on one invoice; a subscription's period is in one section of its kind.
CREATE TABLE invoice_sections (
  account_id text NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  customer_id text NOT NULL,
  subscription_id text NOT NULL,
  period_index integer NOT NULL,
  kind text NOT NULL CHECK (kind IN ('opening', 'period', 'closing', 'proration')),
  due_at timestamptz NOT NULL,
  period_start timestamptz NOT NULL,
  period_end timestamptz NOT NULL,
  subtotal numeric NOT NULL,
  lines json,
  invoice_id text,
  PRIMARY KEY (account_id, seq),
  UNIQUE (account_id, subscription_id, period_index, kind),
  FOREIGN KEY (account_id, customer_id) REFERENCES customers,
  FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions,
  FOREIGN KEY (account_id, invoice_id) REFERENCES invoices,
  CHECK ((lines IS NULL) = (invoice_id IS NOT NULL))
);
CREATE INDEX invoice_sections_waiting ON invoice_sections (account_id, customer_id, due_at) WHERE invoice_id IS NULL;
CREATE INDEX invoice_sections_of_invoice ON invoice_sections (account_id, invoice_id) WHERE invoice_id IS NOT NULL;

-- Whose line it is, where that is not the customer of the invoice.
ALTER TABLE invoice_lines ADD COLUMN customer_id text;
