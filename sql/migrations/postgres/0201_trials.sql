-- Trials: what a plan offers; of a subscription the first period, and when its coming end is told (null: it was).
ALTER TABLE plan_versions
  ADD COLUMN trial_days int NOT NULL DEFAULT 0 CHECK (trial_days BETWEEN 0 AND 730),
  ADD COLUMN bill_usage_in_trial boolean NOT NULL DEFAULT false;
ALTER TABLE periods ADD COLUMN is_trial boolean NOT NULL DEFAULT false, ADD COLUMN trial_notice_at timestamptz;
