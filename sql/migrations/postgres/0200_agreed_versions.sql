-- Plan versions that are not offered to all: a plan in another of its currencies, or as one subscription has agreed on it (spec/plans#agreed-versions).
-- They are numbered below 0, so that all that names a plan by its version (subscriptions, lines, billed usage) names them alike; `based_on` is the
-- version that people see. `overrides` and `currency_options` are kept as they were sent.
ALTER TABLE plan_versions
  ADD COLUMN based_on int,
  ADD COLUMN currency text,
  ADD COLUMN overrides jsonb,
  ADD COLUMN currency_options jsonb,
  DROP CONSTRAINT plan_versions_version_check,
  ADD CONSTRAINT plan_versions_agreed CHECK (CASE
    WHEN version > 0 THEN based_on IS NULL AND currency IS NULL AND overrides IS NULL
    ELSE version < 0 AND based_on > 0 AND currency IS NOT NULL AND currency_options IS NULL
  END);
CREATE UNIQUE INDEX plan_versions_by_currency ON plan_versions (account_id, plan_id, based_on, currency)
  WHERE based_on IS NOT NULL AND overrides IS NULL;

-- The version that people see, of a line that an agreed one has priced, and whether its price is one that was agreed on.
ALTER TABLE invoice_lines ADD COLUMN based_on int, ADD COLUMN overridden boolean NOT NULL DEFAULT false;
