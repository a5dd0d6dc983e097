-- What the nightly parity check found: an issued invoice that comes out otherwise when it is computed again from its events
-- and plan versions. A row goes when a later check of its invoice no longer finds it. line_id '': the invoice as a whole.
CREATE TABLE parity_differences (
  account_id text NOT NULL,
  invoice_id text NOT NULL,
  line_id text NOT NULL,
  field text NOT NULL CHECK (field IN ('quantity', 'amount', 'subtotal', 'tax_amount', 'total')),
  billed numeric NOT NULL,
  recomputed numeric NOT NULL,
  found_at timestamptz NOT NULL DEFAULT now(),
  seq bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (account_id, invoice_id, line_id, field),
  FOREIGN KEY (account_id, invoice_id) REFERENCES invoices
);
