-- Prepaid units of a subscription, add-ons, and what closed periods have been billed for (spec/prepaid-units#billing, spec/prepaid-units#changes, spec/invoices#late-usage).

-- Units a subscription prepays for itself, in the place of its plan component's; they last until changed.
CREATE TABLE subscription_prepaid_units (
  account_id text NOT NULL,
  subscription_id text NOT NULL,
  metric_id text NOT NULL,
  units numeric NOT NULL CHECK (units >= 0),
  PRIMARY KEY (account_id, subscription_id, metric_id),
  FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions,
  FOREIGN KEY (account_id, metric_id) REFERENCES metrics
);

CREATE TABLE addons (
  account_id text NOT NULL REFERENCES accounts,
  addon_id text NOT NULL,
  name text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('one_time', 'recurring', 'quantity')),
  price numeric NOT NULL CHECK (price >= 0),
  currency text NOT NULL,
  status text NOT NULL CHECK (status IN ('active', 'archived')),
  created_at timestamptz NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (account_id, addon_id)
);

-- An add-on of a subscription. It is charged for the periods from attached_period on, to canceled_period where it was
-- canceled (the one before where no period had begun); billed_period is the last one that was charged. A one_time add-on is 'billed' once an invoice has it.
CREATE TABLE addon_subscriptions (
  account_id text NOT NULL,
  addon_subscription_id text NOT NULL,
  subscription_id text NOT NULL,
  addon_id text NOT NULL,
  quantity integer NOT NULL CHECK (quantity > 0),
  status text NOT NULL CHECK (status IN ('active', 'canceled', 'billed')),
  attached_at timestamptz NOT NULL,
  attached_period integer NOT NULL CHECK (attached_period >= 0),
  canceled_at timestamptz,
  canceled_period integer CHECK (canceled_period >= attached_period - 1),
  billed_period integer CHECK (billed_period >= 0),
  seq bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (account_id, addon_subscription_id),
  FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions,
  FOREIGN KEY (account_id, addon_id) REFERENCES addons,
  CHECK ((status = 'canceled') = (canceled_at IS NOT NULL)),
  CHECK ((canceled_at IS NULL) = (canceled_period IS NULL))
);
CREATE UNIQUE INDEX addon_subscriptions_one_active ON addon_subscriptions (account_id, subscription_id, addon_id)
  WHERE status = 'active';
CREATE INDEX addon_subscriptions_of_subscription ON addon_subscriptions (account_id, subscription_id);

-- What closed periods have been billed for: one row per usage line, changed by late usage (spec/invoices#late-usage). It is rated by
-- its own plan version; its zone is the one its metric's time filter was read in.
CREATE TABLE billed_usage (
  account_id text NOT NULL,
  subscription_id text NOT NULL,
  metric_id text NOT NULL,
  starts_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL CHECK (ends_at > starts_at),
  plan_id text NOT NULL,
  version integer NOT NULL,
  timezone text NOT NULL,
  prepaid_units numeric NOT NULL CHECK (prepaid_units >= 0),
  quantity numeric NOT NULL,
  events_count numeric NOT NULL,
  PRIMARY KEY (account_id, subscription_id, metric_id, starts_at),
  FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions,
  FOREIGN KEY (account_id, plan_id, version) REFERENCES plan_versions (account_id, plan_id, version)
);

-- Up to which position of the stream a subscription's billed usage has been counted: what lies above is late usage.
CREATE TABLE usage_marks (
  account_id text NOT NULL,
  subscription_id text NOT NULL,
  customer_id text NOT NULL,
  counted_to numeric(20) NOT NULL,
  starts_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, subscription_id),
  FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions
);
CREATE INDEX usage_marks_of_customer ON usage_marks (account_id, customer_id);
