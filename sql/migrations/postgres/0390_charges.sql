-- What of invoices' charges stands (spec/reversals#what-stands). New tables alone: nothing of what is there is read or written. Invoices of
-- earlier releases are recorded afterwards, by the worker or when they are first needed (services/billing/record-earlier-invoices.ts).

-- The terms by which an invoice, or a section of it, turns amounts into charges. An invoice without a row here is not recorded yet.
CREATE TABLE invoice_terms (
  account_id text NOT NULL,
  invoice_id text NOT NULL,
  -- 0 but for the further sections of a consolidated invoice.
  section integer NOT NULL CHECK (section >= 0),
  kind text NOT NULL,
  -- The billing period that it counts for, by the subscription that held it first and the instant of its start.
  period_id text NOT NULL,
  -- The order of the first invoice of the payer that was issued after this one was voided, or would be; null while it is not void.
  voided_before bigint,
  PRIMARY KEY (account_id, invoice_id, section),
  FOREIGN KEY (account_id, invoice_id) REFERENCES invoices
);
CREATE INDEX invoice_terms_of_period ON invoice_terms (account_id, period_id);

-- The discounts that were active at the issue of an invoice, and whether each of them lowered it then.
CREATE TABLE invoice_discounts (
  account_id text NOT NULL,
  invoice_id text NOT NULL,
  section integer NOT NULL,
  discount_id text NOT NULL,
  has_lowered boolean NOT NULL,
  PRIMARY KEY (account_id, invoice_id, section, discount_id),
  FOREIGN KEY (account_id, invoice_id, section) REFERENCES invoice_terms
);
CREATE INDEX invoice_discounts_of_discount ON invoice_discounts (account_id, discount_id);

-- The lines of invoices that charge, and the keys that invoices charge without a line (line_id is null). A late line has the terms of the
-- invoice that charged its key first. net: less limits and discounts, without tax. back: of that, what reversals have taken. by_hand: what
-- refunds and the like have forgiven. tax_back: the tax that went back with both.
CREATE TABLE charges (
  account_id text NOT NULL,
  invoice_id text NOT NULL,
  ordinal integer NOT NULL,
  line_id text,
  period_id text NOT NULL,
  -- The rest of its key, behind the period.
  item text NOT NULL,
  terms_of text NOT NULL,
  terms_section integer NOT NULL,
  net numeric NOT NULL CHECK (net >= 0),
  back numeric NOT NULL DEFAULT 0,
  by_hand numeric NOT NULL DEFAULT 0,
  tax_back numeric NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, invoice_id, ordinal),
  CONSTRAINT charges_within_net CHECK (back >= 0 AND by_hand >= 0 AND back + by_hand <= net)
);
CREATE INDEX charges_of_period ON charges (account_id, period_id);
CREATE INDEX charges_of_other_terms ON charges (account_id, terms_of) WHERE terms_of <> invoice_id;

-- Which line, credit or refund took what of which charge; below 0 a line that restores it. It goes when a refund fails and when the invoice
-- of a line is voided.
CREATE TABLE charge_reversals (
  account_id text NOT NULL,
  source_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('line', 'credit', 'refund')),
  by_hand boolean NOT NULL,
  invoice_id text NOT NULL,
  ordinal integer NOT NULL,
  amount numeric NOT NULL,
  tax_amount numeric NOT NULL,
  PRIMARY KEY (account_id, source_id, invoice_id, ordinal),
  FOREIGN KEY (account_id, invoice_id, ordinal) REFERENCES charges
);
CREATE INDEX charge_reversals_of_invoice ON charge_reversals (account_id, invoice_id);

-- Up to which invoice of an account, in order of issue, all of them have been recorded: what is looked for lies behind it.
CREATE TABLE charges_recorded (
  account_id text PRIMARY KEY,
  up_to bigint NOT NULL
);
