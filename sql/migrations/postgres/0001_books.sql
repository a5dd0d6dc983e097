-- The books: everything that is billed, and what was told about it (architecture#postgres).
-- Every account-owned table has account_id first in its key; the account is set per transaction
-- (meterbook.account_id), ready for row-level security.

CREATE EXTENSION IF NOT EXISTS btree_gist;

CREATE TABLE accounts (
  account_id text PRIMARY KEY,
  name text NOT NULL,
  mode text NOT NULL CHECK (mode IN ('test', 'live')),
  default_currency text NOT NULL,
  net_terms_days integer NOT NULL DEFAULT 0 CHECK (net_terms_days >= 0),
  invoice_grace_seconds integer NOT NULL DEFAULT 0 CHECK (invoice_grace_seconds >= 0),
  rate_limit integer CHECK (rate_limit > 0),
  payment_retry_days integer[] NOT NULL DEFAULT '{1,3,5,7}',
  late_usage text NOT NULL DEFAULT 'next_invoice' CHECK (late_usage IN ('next_invoice', 'ignore')),
  created_at timestamptz NOT NULL
);

-- The last invoice number of an account: taken in the transaction that issues, so numbers have no gaps (spec/invoices#numbers).
CREATE TABLE invoice_counters (
  account_id text PRIMARY KEY REFERENCES accounts,
  last_number bigint NOT NULL DEFAULT 0
);

CREATE TABLE api_keys (
  account_id text NOT NULL REFERENCES accounts,
  key_id text NOT NULL,
  name text NOT NULL,
  prefix text NOT NULL,
  key_hash text NOT NULL UNIQUE,
  scopes text[] NOT NULL CHECK (cardinality(scopes) > 0),
  created_at timestamptz NOT NULL,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  PRIMARY KEY (account_id, key_id)
);

-- What a call did, written in the transaction that did it: a call repeated after a lost answer finds it here.
CREATE TABLE operations (
  account_id text NOT NULL REFERENCES accounts,
  operation_id text NOT NULL,
  -- json, not jsonb: an answer or a snapshot is given again byte for byte.
  result json NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, operation_id)
);

CREATE TABLE test_clocks (
  account_id text NOT NULL REFERENCES accounts,
  test_clock_id text NOT NULL,
  name text,
  frozen_time timestamptz NOT NULL,
  goal_time timestamptz,
  status text NOT NULL CHECK (status IN ('ready', 'advancing', 'failed')),
  created_at timestamptz NOT NULL,
  -- The row of a deleted clock stays: its customers' records keep living in its time, which no longer moves.
  deleted_at timestamptz,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (account_id, test_clock_id),
  CHECK ((status = 'ready') = (goal_time IS NULL))
);

CREATE TABLE customers (
  account_id text NOT NULL REFERENCES accounts,
  customer_id text NOT NULL,
  customer_name text NOT NULL,
  email text NOT NULL,
  currency text NOT NULL,
  payment_provider text,
  payment_provider_id text,
  has_payment_method boolean NOT NULL DEFAULT false,
  tax_rate numeric NOT NULL CHECK (tax_rate BETWEEN 0 AND 100),
  timezone text NOT NULL,
  billing_address jsonb,
  test_clock_id text,
  metadata jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL,
  deleted_at timestamptz,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (account_id, customer_id),
  FOREIGN KEY (account_id, test_clock_id) REFERENCES test_clocks
);
CREATE INDEX customers_newest ON customers (account_id, seq DESC) WHERE deleted_at IS NULL;
CREATE INDEX customers_of_clock ON customers (account_id, test_clock_id) WHERE test_clock_id IS NOT NULL;

CREATE TABLE metrics (
  account_id text NOT NULL REFERENCES accounts,
  metric_id text NOT NULL,
  metric_name text NOT NULL,
  aggregation_type text NOT NULL CHECK (aggregation_type IN ('count', 'sum', 'max', 'unique')),
  event_name text,
  property_name text CHECK ((aggregation_type = 'count') = (property_name IS NULL)),
  numeric_filters jsonb NOT NULL,
  categorical_filters jsonb NOT NULL,
  time_filter jsonb,
  is_cost_metric boolean NOT NULL,
  unit_cost numeric NOT NULL,
  status text NOT NULL CHECK (status IN ('active', 'archived')),
  created_at timestamptz NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (account_id, metric_id)
);

CREATE TABLE plans (
  account_id text NOT NULL REFERENCES accounts,
  plan_id text NOT NULL,
  billing_period text NOT NULL CHECK (billing_period IN ('monthly', 'quarterly', 'annual')),
  currency text NOT NULL,
  status text NOT NULL CHECK (status IN ('active', 'archived')),
  latest_version integer NOT NULL CHECK (latest_version > 0),
  metadata jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (account_id, plan_id)
);

-- A version is never changed: subscriptions stay on theirs (spec/plans#versions).
CREATE TABLE plan_versions (
  account_id text NOT NULL,
  plan_id text NOT NULL,
  version integer NOT NULL CHECK (version > 0),
  version_id text NOT NULL,
  name text NOT NULL,
  recurring_fee numeric NOT NULL CHECK (recurring_fee >= 0),
  charge_timing text NOT NULL CHECK (charge_timing IN ('in_arrears', 'in_advance')),
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, plan_id, version),
  UNIQUE (account_id, version_id),
  FOREIGN KEY (account_id, plan_id) REFERENCES plans
);

CREATE TABLE plan_components (
  account_id text NOT NULL,
  version_id text NOT NULL,
  ordinal integer NOT NULL,
  component_id text NOT NULL,
  metric_id text NOT NULL,
  pricing_model text NOT NULL CHECK (pricing_model IN ('per_unit', 'tiered', 'volume', 'package')),
  free_tier numeric NOT NULL CHECK (free_tier >= 0),
  overage_price numeric CHECK (overage_price >= 0),
  tiers jsonb,
  package_size numeric CHECK (package_size > 0),
  rounding text NOT NULL CHECK (rounding IN ('round_down', 'round_up', 'round_nearest', 'no_rounding')),
  prepaid_units numeric NOT NULL CHECK (prepaid_units >= 0),
  PRIMARY KEY (account_id, version_id, ordinal),
  UNIQUE (account_id, version_id, metric_id),
  FOREIGN KEY (account_id, version_id) REFERENCES plan_versions (account_id, version_id),
  FOREIGN KEY (account_id, metric_id) REFERENCES metrics
);

-- One feature per name and account (spec/plans#features).
CREATE TABLE features (
  account_id text NOT NULL REFERENCES accounts,
  feature_id text NOT NULL,
  name text NOT NULL,
  PRIMARY KEY (account_id, feature_id),
  UNIQUE (account_id, name)
);

CREATE TABLE plan_features (
  account_id text NOT NULL,
  version_id text NOT NULL,
  ordinal integer NOT NULL,
  feature_id text NOT NULL,
  included boolean NOT NULL,
  usage_limit numeric CHECK (usage_limit >= 0),
  metric_id text,
  PRIMARY KEY (account_id, version_id, ordinal),
  UNIQUE (account_id, version_id, feature_id),
  FOREIGN KEY (account_id, version_id) REFERENCES plan_versions (account_id, version_id),
  FOREIGN KEY (account_id, feature_id) REFERENCES features,
  FOREIGN KEY (account_id, metric_id) REFERENCES metrics
);

CREATE TABLE subscriptions (
  account_id text NOT NULL REFERENCES accounts,
  subscription_id text NOT NULL,
  customer_id text NOT NULL,
  plan_id text NOT NULL,
  version integer NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'active', 'paused', 'canceled', 'expired')),
  start_date date NOT NULL,
  end_date date CHECK (end_date >= start_date),
  auto_renew boolean NOT NULL,
  cancel_at timestamptz,
  canceled_at timestamptz,
  cancel_reason text,
  paused_at timestamptz,
  resumes_at timestamptz,
  pending_change jsonb,
  previous_subscription_id text,
  replaced_by text,
  metadata jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (account_id, subscription_id),
  FOREIGN KEY (account_id, customer_id) REFERENCES customers,
  FOREIGN KEY (account_id, plan_id, version) REFERENCES plan_versions (account_id, plan_id, version)
);
CREATE INDEX subscriptions_of_customer ON subscriptions (account_id, customer_id);
-- Two live subscriptions of a customer to the same plan are refused (spec/subscriptions#creation).
CREATE UNIQUE INDEX subscriptions_one_live ON subscriptions (account_id, customer_id, plan_id)
  WHERE status IN ('pending', 'active', 'paused');

-- A period's instants are stored once computed; a later change of zone affects only periods not yet started (spec/periods#periods).
CREATE TABLE periods (
  account_id text NOT NULL,
  subscription_id text NOT NULL,
  period_index integer NOT NULL CHECK (period_index >= 0),
  start_date date NOT NULL,
  end_date date NOT NULL,
  starts_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL CHECK (ends_at > starts_at),
  closed_at timestamptz,
  PRIMARY KEY (account_id, subscription_id, period_index),
  FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions,
  EXCLUDE USING gist (account_id WITH =, subscription_id WITH =, tstzrange(starts_at, ends_at) WITH &&)
);
CREATE UNIQUE INDEX periods_one_open ON periods (account_id, subscription_id) WHERE closed_at IS NULL;

-- The stream position up to which a closing counts usage: read once, kept for every retry (architecture#temporal).
CREATE TABLE seals (
  account_id text NOT NULL,
  subscription_id text NOT NULL,
  period_index integer NOT NULL,
  position numeric(20) NOT NULL CHECK (position >= 0),
  sealed_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, subscription_id, period_index),
  FOREIGN KEY (account_id, subscription_id, period_index) REFERENCES periods
);

CREATE TABLE invoices (
  account_id text NOT NULL REFERENCES accounts,
  invoice_id text NOT NULL,
  invoice_number text NOT NULL,
  customer_id text NOT NULL,
  subscription_id text,
  period_index integer,
  kind text NOT NULL CHECK (kind IN ('opening', 'period', 'closing', 'proration', 'manual')),
  operation_id text,
  status text NOT NULL CHECK (status IN ('open', 'paid', 'void', 'uncollectible')),
  currency text NOT NULL,
  issue_date date NOT NULL,
  due_date date NOT NULL,
  period_start timestamptz,
  period_end timestamptz,
  subtotal numeric NOT NULL,
  tax_rate numeric NOT NULL,
  tax_amount numeric NOT NULL CHECK (tax_amount >= 0),
  total numeric NOT NULL CHECK (total = subtotal + tax_amount),
  credits_applied numeric NOT NULL CHECK (credits_applied >= 0 AND credits_applied <= greatest(total, 0)),
  amount_paid numeric NOT NULL DEFAULT 0 CHECK (amount_paid >= 0),
  amount_refunded numeric NOT NULL DEFAULT 0 CHECK (amount_refunded >= 0 AND amount_refunded <= amount_paid),
  amount_due numeric NOT NULL CHECK (amount_due >= 0),
  billing_address jsonb,
  customer_name text NOT NULL,
  test_clock_id text,
  created_at timestamptz NOT NULL,
  paid_at timestamptz,
  voided_at timestamptz,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (account_id, invoice_id),
  UNIQUE (account_id, invoice_number),
  FOREIGN KEY (account_id, customer_id) REFERENCES customers,
  FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions,
  CHECK (status <> 'paid' OR amount_due = 0)
);
-- One invoice per subscription, period and kind; prorations: one per operation (spec/subscriptions#invoices-on-schedule).
CREATE UNIQUE INDEX invoices_once ON invoices (account_id, subscription_id, period_index, kind) WHERE kind <> 'proration';
CREATE UNIQUE INDEX invoices_once_per_operation ON invoices (account_id, operation_id) WHERE kind = 'proration';
CREATE INDEX invoices_of_customer ON invoices (account_id, customer_id);
CREATE INDEX invoices_of_subscription ON invoices (account_id, subscription_id);

CREATE TABLE invoice_lines (
  account_id text NOT NULL,
  invoice_id text NOT NULL,
  ordinal integer NOT NULL,
  line_id text NOT NULL,
  type text NOT NULL CHECK (type IN ('recurring_fee', 'usage', 'prepaid_units', 'addon', 'proration', 'late_usage', 'credit')),
  description text NOT NULL,
  subscription_id text,
  plan_id text,
  version integer,
  metric_id text,
  addon_id text,
  credit_id text,
  period_start timestamptz,
  period_end timestamptz,
  quantity numeric,
  billable_quantity numeric,
  unit_price numeric,
  amount numeric NOT NULL,
  tiers jsonb NOT NULL DEFAULT '[]',
  events_count numeric,
  PRIMARY KEY (account_id, invoice_id, ordinal),
  UNIQUE (account_id, line_id),
  FOREIGN KEY (account_id, invoice_id) REFERENCES invoices
);

CREATE TABLE credits (
  account_id text NOT NULL REFERENCES accounts,
  credit_id text NOT NULL,
  customer_id text NOT NULL,
  amount numeric NOT NULL CHECK (amount > 0),
  amount_remaining numeric NOT NULL CHECK (amount_remaining >= 0 AND amount_remaining <= amount),
  currency text NOT NULL,
  reason text NOT NULL
    CHECK (reason IN ('service_credit', 'promotional_credit', 'goodwill_credit', 'overpayment_credit')),
  description text,
  expires_at date,
  voided_at timestamptz,
  created_at timestamptz NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (account_id, credit_id),
  FOREIGN KEY (account_id, customer_id) REFERENCES customers
);
CREATE INDEX credits_of_customer ON credits (account_id, customer_id);

CREATE TABLE credit_applications (
  account_id text NOT NULL,
  credit_id text NOT NULL,
  invoice_id text NOT NULL,
  amount numeric NOT NULL CHECK (amount > 0),
  applied_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, credit_id, invoice_id),
  FOREIGN KEY (account_id, credit_id) REFERENCES credits,
  FOREIGN KEY (account_id, invoice_id) REFERENCES invoices
);
CREATE INDEX credit_applications_of_invoice ON credit_applications (account_id, invoice_id);

CREATE TABLE payments (
  account_id text NOT NULL,
  payment_id text NOT NULL,
  invoice_id text NOT NULL,
  method text NOT NULL,
  amount numeric NOT NULL CHECK (amount > 0),
  reference text,
  paid_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, payment_id),
  FOREIGN KEY (account_id, invoice_id) REFERENCES invoices
);
CREATE INDEX payments_of_invoice ON payments (account_id, invoice_id);

-- Double entry: debits positive, credits negative, every transaction sums to zero, and Postgres itself keeps it so.
CREATE TABLE ledger_transactions (
  account_id text NOT NULL REFERENCES accounts,
  ledger_transaction_id text NOT NULL,
  customer_id text NOT NULL,
  kind text NOT NULL,
  currency text NOT NULL,
  invoice_id text,
  credit_id text,
  refund_id text,
  at timestamptz NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (account_id, ledger_transaction_id),
  FOREIGN KEY (account_id, customer_id) REFERENCES customers
);
CREATE INDEX ledger_of_customer ON ledger_transactions (account_id, customer_id, seq DESC);

CREATE TABLE ledger_entries (
  account_id text NOT NULL,
  ledger_transaction_id text NOT NULL,
  ordinal integer NOT NULL,
  ledger_account text NOT NULL,
  amount numeric NOT NULL CHECK (amount <> 0),
  PRIMARY KEY (account_id, ledger_transaction_id, ordinal),
  FOREIGN KEY (account_id, ledger_transaction_id) REFERENCES ledger_transactions
);

CREATE FUNCTION check_ledger_balance() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed ledger_entries := coalesce(NEW, OLD);
  imbalance numeric;
BEGIN
  SELECT coalesce(sum(amount), 0) INTO imbalance FROM ledger_entries
  WHERE account_id = changed.account_id AND ledger_transaction_id = changed.ledger_transaction_id;
  IF imbalance <> 0 THEN
    RAISE EXCEPTION 'ledger transaction % is off by %', changed.ledger_transaction_id, imbalance;
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER ledger_balances AFTER INSERT OR UPDATE OR DELETE ON ledger_entries
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_ledger_balance();

-- Webhook events, each written in the transaction that causes it with its resource as the API returned it then.
CREATE TABLE outbox_events (
  event_id text PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts,
  type text NOT NULL,
  subject text NOT NULL,
  data json NOT NULL,
  occurred_at timestamptz NOT NULL DEFAULT now(),
  relayed_at timestamptz,
  seq bigint GENERATED ALWAYS AS IDENTITY
);
CREATE INDEX outbox_waiting ON outbox_events (seq) WHERE relayed_at IS NULL;

-- What falls due on a test clock, written in the transaction that plans it (architecture#temporal).
CREATE TABLE due_steps (
  account_id text NOT NULL,
  test_clock_id text NOT NULL,
  subject text NOT NULL,
  kind text NOT NULL,
  due_at timestamptz NOT NULL,
  rank integer NOT NULL,
  PRIMARY KEY (account_id, subject, kind),
  FOREIGN KEY (account_id, test_clock_id) REFERENCES test_clocks
);
CREATE INDEX due_steps_next ON due_steps (account_id, test_clock_id, due_at, rank, subject);
