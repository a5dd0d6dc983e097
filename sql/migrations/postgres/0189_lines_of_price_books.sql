-- The combination and the row that a line is for, and what an invoice holds for want of a price.
ALTER TABLE invoice_lines ADD COLUMN price_group jsonb, ADD COLUMN price_id text;
ALTER TABLE invoices ADD COLUMN held jsonb;

-- Billed usage of a component with a price book: up to which row of the book it was priced; and its combinations, each as one row priced it (''
-- : none did, and it is held, priced by the component, or not billed), with the time in which that was so.
CREATE TABLE billed_price_books (
  account_id text NOT NULL,
  subscription_id text NOT NULL,
  metric_id text NOT NULL,
  starts_at timestamptz NOT NULL,
  rows_known bigint NOT NULL,
  PRIMARY KEY (account_id, subscription_id, metric_id, starts_at),
  FOREIGN KEY (account_id, subscription_id, metric_id, starts_at) REFERENCES billed_usage
);
CREATE TABLE billed_combinations (
  account_id text NOT NULL,
  subscription_id text NOT NULL,
  metric_id text NOT NULL,
  starts_at timestamptz NOT NULL,
  combination text NOT NULL,
  price_id text NOT NULL,
  texts jsonb NOT NULL,
  is_held boolean NOT NULL,
  priced_from timestamptz NOT NULL,
  priced_to timestamptz NOT NULL,
  quantity numeric NOT NULL,
  events_count numeric NOT NULL,
  billable numeric,
  amount numeric,
  first_event_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, subscription_id, metric_id, starts_at, combination, price_id),
  FOREIGN KEY (account_id, subscription_id, metric_id, starts_at) REFERENCES billed_price_books
);
CREATE INDEX billed_combinations_held ON billed_combinations (account_id, subscription_id) WHERE is_held AND events_count > 0;
