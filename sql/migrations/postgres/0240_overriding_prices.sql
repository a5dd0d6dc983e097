-- Rows that one subscription has agreed on are asked before those of its plan, which may have the same `when` and `from` (spec/plans#overrides).
ALTER TABLE plan_prices ADD COLUMN is_override boolean NOT NULL DEFAULT false;
DROP INDEX plan_prices_once;
CREATE UNIQUE INDEX plan_prices_once ON plan_prices (account_id, version_id, metric_id, md5(when_texts::text), from_date, from_at, is_override)
  NULLS NOT DISTINCT;
