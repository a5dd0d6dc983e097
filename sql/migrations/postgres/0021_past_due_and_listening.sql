-- When open invoices of customers in real time become past due, to be told then; on a test clock a due step is the same.
CREATE TABLE past_due_waits (
  account_id text NOT NULL,
  invoice_id text NOT NULL,
  due_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, invoice_id),
  FOREIGN KEY (account_id, invoice_id) REFERENCES invoices
);
CREATE INDEX past_due_waits_next ON past_due_waits (due_at);

-- Where the customer's day begins later than in UTC, the wait is planned anew.
INSERT INTO past_due_waits (account_id, invoice_id, due_at)
SELECT account_id, invoice_id, (due_date + 1)::timestamp AT TIME ZONE 'UTC' FROM invoices
WHERE status = 'open' AND test_clock_id IS NULL;

-- An endpoint is told what happens from then on: since it was made, or enabled again.
ALTER TABLE webhook_endpoints ADD COLUMN listens_from timestamptz NOT NULL DEFAULT now();
UPDATE webhook_endpoints SET listens_from = created_at;
