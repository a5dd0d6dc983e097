-- What has been told of as without a price: each combination once per plan and metric, for ever (spec/price-books#unmatched).
CREATE TABLE missing_prices (
  account_id text NOT NULL,
  plan_id text NOT NULL,
  metric_id text NOT NULL,
  combination text NOT NULL,
  told_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, plan_id, metric_id, combination),
  FOREIGN KEY (account_id, plan_id) REFERENCES plans,
  FOREIGN KEY (account_id, metric_id) REFERENCES metrics
);

-- Subscriptions that may hold what was never told, whatever lands: each goes when it has been looked at.
CREATE TABLE holders_to_look_at (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id text NOT NULL,
  subscription_id text NOT NULL,
  FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions
);

-- Accounts whose usage could not be looked through when that of others was: from which position on it is still to be.
CREATE TABLE accounts_to_look_at (
  account_id text PRIMARY KEY REFERENCES accounts,
  looked_to bigint NOT NULL
);

-- Up to which position of the usage stream prices have been looked for, by the worker that does so until held_until; null where none
-- has to be. What is held in all, as it was last counted.
CREATE TABLE price_watch (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  looked_to bigint,
  held_by text,
  held_until timestamptz NOT NULL DEFAULT '-infinity',
  held_events numeric NOT NULL DEFAULT 0,
  told_since timestamptz,
  counted_at timestamptz NOT NULL DEFAULT '-infinity'
);
INSERT INTO price_watch DEFAULT VALUES;
