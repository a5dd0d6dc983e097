-- A plan that says nothing of trials is told from one that offers none.
ALTER TABLE plan_versions ALTER COLUMN trial_days DROP NOT NULL, ALTER COLUMN trial_days DROP DEFAULT;
UPDATE plan_versions SET trial_days = NULL WHERE trial_days = 0;
