-- Lines that limits and discounts make, what each was reckoned from, and what discounts took of a charge.
ALTER TABLE invoice_lines
  ADD COLUMN discount_amount numeric NOT NULL DEFAULT 0,
  ADD COLUMN basis jsonb,
  DROP CONSTRAINT invoice_lines_type_check,
  ADD CONSTRAINT invoice_lines_type_check CHECK (type IN ('recurring_fee', 'usage', 'prepaid_units', 'addon', 'proration',
    'late_usage', 'true_up', 'discount', 'credit')) NOT VALID;

-- What the limited part of a closed period came to, before the limits, by metric ('' : the plan's): late usage changes it.
CREATE TABLE limited_amounts (
  account_id text NOT NULL,
  subscription_id text NOT NULL,
  starts_at timestamptz NOT NULL,
  metric_id text NOT NULL,
  ends_at timestamptz NOT NULL,
  charged numeric NOT NULL,
  minimum_amount numeric,
  maximum_amount numeric,
  PRIMARY KEY (account_id, subscription_id, starts_at, metric_id),
  FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions
);
