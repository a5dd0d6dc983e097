-- Usage months: a plan whose components bill months of its billing periods. A period is then such a month, and `billing` the billing
-- period that it lies in, {index, start_date, end_date, starts_at, ends_at}; null where it is one itself.
ALTER TABLE plans ADD COLUMN usage_period text NOT NULL DEFAULT 'billing_period' CHECK (usage_period IN ('billing_period', 'monthly'));
ALTER TABLE periods ADD COLUMN billing jsonb;
