-- Coupons, and the discounts that subscriptions have redeemed of them. A discount's periods are counted by the invoices that it lowers.
CREATE TABLE coupons (
  account_id text NOT NULL REFERENCES accounts,
  coupon_id text NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  percent_off numeric CHECK (percent_off > 0 AND percent_off <= 100),
  amount_off numeric CHECK (amount_off > 0),
  currency text,
  duration text NOT NULL CHECK (duration IN ('once', 'repeating', 'forever')),
  duration_in_periods integer CHECK (duration_in_periods > 0),
  code text,
  max_redemptions integer CHECK (max_redemptions > 0),
  redeem_by_date date,
  redeem_by timestamptz,
  plan_ids text[],
  metric_ids text[],
  line_types text[],
  times_redeemed integer NOT NULL DEFAULT 0,
  status text NOT NULL CHECK (status IN ('active', 'archived')),
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, coupon_id),
  CHECK ((percent_off IS NULL) <> (amount_off IS NULL)),
  CHECK ((amount_off IS NULL) = (currency IS NULL)),
  CHECK ((duration = 'repeating') = (duration_in_periods IS NOT NULL)),
  CHECK (redeem_by_date IS NULL OR redeem_by IS NULL)
);
CREATE UNIQUE INDEX coupons_code ON coupons (account_id, upper(code)) WHERE status = 'active';
CREATE INDEX coupons_newest ON coupons (account_id, seq DESC);
CREATE INDEX coupons_by_status ON coupons (account_id, status, seq DESC);

-- holders: the subscriptions that have had it, one after another by switches; the last one is its own.
CREATE TABLE discounts (
  account_id text NOT NULL,
  discount_id text NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  coupon_id text NOT NULL,
  customer_id text NOT NULL,
  subscription_id text NOT NULL,
  holders text[] NOT NULL,
  status text NOT NULL CHECK (status IN ('active', 'ended', 'removed')),
  periods_used integer NOT NULL DEFAULT 0 CHECK (periods_used >= 0),
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, discount_id),
  FOREIGN KEY (account_id, coupon_id) REFERENCES coupons,
  FOREIGN KEY (account_id, customer_id) REFERENCES customers,
  FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions
);
CREATE UNIQUE INDEX discounts_once ON discounts (account_id, subscription_id, coupon_id) WHERE status = 'active';
CREATE INDEX discounts_of_customer ON discounts (account_id, customer_id);
CREATE INDEX discounts_of_subscription ON discounts (account_id, subscription_id, seq DESC);
