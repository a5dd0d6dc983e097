-- Prices of a component by the properties of events (spec/price-books). Of a component whose rows alone have prices, pricing_model is null.
ALTER TABLE plan_components
  ALTER COLUMN pricing_model DROP NOT NULL,
  ADD COLUMN group_by text[] CHECK (cardinality(group_by) BETWEEN 1 AND 3),
  ADD COLUMN unmatched text CHECK (unmatched IN ('hold', 'price', 'ignore')),
  ADD CHECK ((group_by IS NULL) = (unmatched IS NULL)),
  ADD CHECK (pricing_model IS NOT NULL OR group_by IS NOT NULL);

-- The rows of price books. One that was added later is in all versions of the plan, by the same price_id; added_on: when that was in the time of
-- each test clock there was. seq is the order in which they came: additions to one plan are made one after another.
CREATE TABLE plan_prices (
  account_id text NOT NULL,
  version_id text NOT NULL,
  metric_id text NOT NULL,
  price_id text NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  when_texts jsonb NOT NULL,
  from_date date,
  from_at timestamptz,
  free_tier numeric NOT NULL CHECK (free_tier >= 0),
  pricing_model text NOT NULL CHECK (pricing_model IN ('per_unit', 'tiered', 'volume', 'package', 'percentage')),
  overage_price numeric CHECK (overage_price >= 0),
  tiers jsonb,
  package_size numeric CHECK (package_size > 0),
  percentage numeric CHECK (percentage BETWEEN 0 AND 100),
  fixed_amount numeric CHECK (fixed_amount >= 0),
  per_event_minimum numeric CHECK (per_event_minimum >= 0),
  per_event_maximum numeric CHECK (per_event_maximum >= per_event_minimum),
  added_at timestamptz,
  added_on jsonb,
  PRIMARY KEY (account_id, version_id, metric_id, price_id),
  FOREIGN KEY (account_id, version_id, metric_id) REFERENCES plan_components (account_id, version_id, metric_id),
  CHECK (from_date IS NULL OR from_at IS NULL),
  CHECK ((added_at IS NULL) = (added_on IS NULL))
);
CREATE UNIQUE INDEX plan_prices_once ON plan_prices (account_id, version_id, metric_id, md5(when_texts::text), from_date, from_at) NULLS NOT DISTINCT;
