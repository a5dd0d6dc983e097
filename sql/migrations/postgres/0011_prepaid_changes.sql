-- Prepaid units can be changed in the middle of a period, and between its end and its closing: a choice holds from a period
-- on, and the period before it is still billed by the choice before it.
ALTER TABLE subscription_prepaid_units
  ADD COLUMN from_period integer NOT NULL DEFAULT 0 CHECK (from_period >= 0),
  -- Null for what was chosen when the subscription was made.
  ADD COLUMN changed_at timestamptz,
  -- What changes have given back in that period, without tax: never more than was charged for it.
  ADD COLUMN given_back numeric NOT NULL DEFAULT 0 CHECK (given_back >= 0),
  DROP CONSTRAINT subscription_prepaid_units_pkey,
  ADD PRIMARY KEY (account_id, subscription_id, metric_id, from_period);
