-- A period keeps the time zone that it began with. Those that are open, or wait to be billed, get their customer's of now; a
-- process of the release before may still open some without one, which have the customer's until they end.
ALTER TABLE periods ADD COLUMN timezone text;
UPDATE periods d SET timezone = c.timezone
FROM subscriptions s JOIN customers c ON c.account_id = s.account_id AND c.customer_id = s.customer_id
WHERE s.account_id = d.account_id AND s.subscription_id = d.subscription_id AND (d.closed_at IS NULL OR d.waits);
