-- A price of each event by its value (spec/rating#percentage).
ALTER TABLE plan_components
  DROP CONSTRAINT plan_components_pricing_model_check,
  ADD CONSTRAINT plan_components_pricing_model_check
    CHECK (pricing_model IN ('per_unit', 'tiered', 'volume', 'package', 'percentage')),
  ADD COLUMN percentage numeric CHECK (percentage BETWEEN 0 AND 100),
  ADD COLUMN fixed_amount numeric CHECK (fixed_amount >= 0),
  ADD COLUMN per_event_minimum numeric CHECK (per_event_minimum >= 0),
  ADD COLUMN per_event_maximum numeric CHECK (per_event_maximum >= per_event_minimum),
  ADD CHECK ((pricing_model = 'percentage') = (percentage IS NOT NULL AND fixed_amount IS NOT NULL));

-- What the events of billed usage have come to, where each has a price of its own: beside billed_usage, of which the release before selects all
-- columns.
CREATE TABLE billed_event_prices (
  account_id text NOT NULL,
  subscription_id text NOT NULL,
  metric_id text NOT NULL,
  starts_at timestamptz NOT NULL,
  billable numeric NOT NULL,
  amount numeric NOT NULL,
  PRIMARY KEY (account_id, subscription_id, metric_id, starts_at),
  FOREIGN KEY (account_id, subscription_id, metric_id, starts_at) REFERENCES billed_usage
);

-- The same of what a line has counted, now and before what came late: by_event = {billable, amount}.
ALTER TABLE line_counts ADD COLUMN by_event jsonb, ADD COLUMN by_event_before jsonb;
