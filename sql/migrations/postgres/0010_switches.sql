-- Switches of the plan (spec/subscriptions#switch).

-- When the switch that pending_change describes happens.
ALTER TABLE subscriptions
  ADD COLUMN switch_at timestamptz,
  ADD CONSTRAINT subscriptions_switch_planned CHECK ((switch_at IS NULL) = (pending_change IS NULL)),
  ADD CONSTRAINT subscriptions_replaced CHECK (replaced_by IS NULL OR status = 'canceled');
CREATE UNIQUE INDEX subscriptions_one_successor ON subscriptions (account_id, previous_subscription_id)
  WHERE previous_subscription_id IS NOT NULL;

-- What a period that a switch carried on still bills for the plans before: which plan was in force from when, what usage
-- before a switch the old plan bills, and since when usage counts for the new one.
ALTER TABLE periods ADD COLUMN carried jsonb;
