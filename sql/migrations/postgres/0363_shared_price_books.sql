-- A version of a plan that leaves prices as they are shares the price books of the version before: an edit of a name copies no rows. `plan_prices` is
-- what every version has, its own rows or those that it shares, for this release and for the one before, which also adds rows through it.
ALTER TABLE plan_prices RENAME TO price_rows;
ALTER TABLE plan_versions ADD COLUMN prices_of text;
CREATE VIEW plan_prices WITH (security_invoker = true) AS
  SELECT v.account_id, v.version_id, r.metric_id, r.price_id, r.seq, r.when_texts, r.from_date, r.from_at, r.free_tier, r.pricing_model, r.overage_price,
    r.tiers, r.package_size, r.percentage, r.fixed_amount, r.per_event_minimum, r.per_event_maximum, r.added_at, r.added_on, r.is_override
  FROM plan_versions v JOIN price_rows r ON r.account_id = v.account_id AND r.version_id = coalesce(v.prices_of, v.version_id);
CREATE FUNCTION insert_plan_price() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO price_rows (account_id, version_id, metric_id, price_id, when_texts, from_date, from_at, free_tier, pricing_model, overage_price, tiers,
    package_size, percentage, fixed_amount, per_event_minimum, per_event_maximum, added_at, added_on, is_override)
  VALUES (NEW.account_id, NEW.version_id, NEW.metric_id, NEW.price_id, NEW.when_texts, NEW.from_date, NEW.from_at, NEW.free_tier, NEW.pricing_model,
    NEW.overage_price, NEW.tiers, NEW.package_size, NEW.percentage, NEW.fixed_amount, NEW.per_event_minimum, NEW.per_event_maximum, NEW.added_at,
    NEW.added_on, coalesce(NEW.is_override, false));
  RETURN NEW;
END $$;
CREATE TRIGGER insert_plan_price INSTEAD OF INSERT ON plan_prices FOR EACH ROW EXECUTE FUNCTION insert_plan_price();
GRANT SELECT, INSERT ON plan_prices TO meterbook_tenant;
