-- The plan version that bills a period, where its subscription has another by now: a phase has begun since (spec/subscriptions#phases).
ALTER TABLE periods ADD COLUMN version int;

-- What is agreed on for later dates of a subscription. version null: the plan's latest by then; sent: what was asked for.
CREATE TABLE subscription_phases (
  account_id text NOT NULL,
  subscription_id text NOT NULL,
  start_date date NOT NULL,
  plan_id text NOT NULL,
  version int,
  sent jsonb NOT NULL,
  PRIMARY KEY (account_id, subscription_id, start_date),
  FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions,
  FOREIGN KEY (account_id, plan_id) REFERENCES plans
);
