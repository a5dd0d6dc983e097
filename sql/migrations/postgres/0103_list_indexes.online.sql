-- An index for every list with each of its filters, newest first, for every sweep over all accounts, and for what a payment
-- processor names. Built while others write: each statement by itself, outside of a transaction (sql/migrate.ts).

-- Lists (sql/page-window.ts): the account, the filter, then the order.
CREATE INDEX CONCURRENTLY IF NOT EXISTS metrics_newest ON metrics (account_id, seq DESC);
CREATE INDEX CONCURRENTLY IF NOT EXISTS plans_newest ON plans (account_id, seq DESC);
CREATE INDEX CONCURRENTLY IF NOT EXISTS addons_newest ON addons (account_id, seq DESC);
CREATE INDEX CONCURRENTLY IF NOT EXISTS test_clocks_newest ON test_clocks (account_id, seq DESC) WHERE deleted_at IS NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS webhook_endpoints_newest ON webhook_endpoints (account_id, seq DESC);
CREATE INDEX CONCURRENTLY IF NOT EXISTS parity_differences_newest ON parity_differences (account_id, seq DESC);

CREATE INDEX CONCURRENTLY IF NOT EXISTS subscriptions_newest ON subscriptions (account_id, seq DESC);
CREATE INDEX CONCURRENTLY IF NOT EXISTS subscriptions_newest_of_customer ON subscriptions (account_id, customer_id, seq DESC);
CREATE INDEX CONCURRENTLY IF NOT EXISTS subscriptions_newest_of_plan ON subscriptions (account_id, plan_id, seq DESC);
CREATE INDEX CONCURRENTLY IF NOT EXISTS subscriptions_newest_of_status ON subscriptions (account_id, status, seq DESC);
DROP INDEX CONCURRENTLY IF EXISTS subscriptions_of_customer;

CREATE INDEX CONCURRENTLY IF NOT EXISTS invoices_newest ON invoices (account_id, seq DESC);
CREATE INDEX CONCURRENTLY IF NOT EXISTS invoices_newest_of_customer ON invoices (account_id, customer_id, seq DESC);
CREATE INDEX CONCURRENTLY IF NOT EXISTS invoices_newest_of_subscription ON invoices (account_id, subscription_id, seq DESC);
CREATE INDEX CONCURRENTLY IF NOT EXISTS invoices_newest_of_status ON invoices (account_id, status, seq DESC);
DROP INDEX CONCURRENTLY IF EXISTS invoices_of_customer;
DROP INDEX CONCURRENTLY IF EXISTS invoices_of_subscription;

-- A credit's status is not stored: it expires by its customer's calendar.
CREATE INDEX CONCURRENTLY IF NOT EXISTS credits_newest ON credits (account_id, seq DESC);
CREATE INDEX CONCURRENTLY IF NOT EXISTS credits_newest_of_customer ON credits (account_id, customer_id, seq DESC);
CREATE INDEX CONCURRENTLY IF NOT EXISTS credits_voided ON credits (account_id, seq DESC) WHERE voided_at IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS credits_consumed ON credits (account_id, seq DESC)
  WHERE voided_at IS NULL AND amount_remaining = 0;
CREATE INDEX CONCURRENTLY IF NOT EXISTS credits_with_rest ON credits (account_id, seq DESC)
  WHERE voided_at IS NULL AND amount_remaining > 0;
CREATE INDEX CONCURRENTLY IF NOT EXISTS credits_expiring ON credits (account_id, seq DESC)
  WHERE voided_at IS NULL AND amount_remaining > 0 AND expires_at IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS credits_of_customer;

CREATE INDEX CONCURRENTLY IF NOT EXISTS refunds_newest_of_customer ON refunds (account_id, customer_id, seq DESC);
CREATE INDEX CONCURRENTLY IF NOT EXISTS refunds_newest_of_invoice ON refunds (account_id, invoice_id, seq DESC);
CREATE INDEX CONCURRENTLY IF NOT EXISTS refunds_newest_of_status ON refunds (account_id, status, seq DESC);
DROP INDEX CONCURRENTLY IF EXISTS refunds_of_invoice;

CREATE INDEX CONCURRENTLY IF NOT EXISTS webhook_deliveries_newest_of_status
  ON webhook_deliveries (account_id, webhook_endpoint_id, status, seq DESC);
DROP INDEX CONCURRENTLY IF EXISTS webhook_deliveries_pending;

-- What a payment processor names.
CREATE INDEX CONCURRENTLY IF NOT EXISTS refunds_of_processor ON refunds (account_id, processor_refund_id)
  WHERE processor_refund_id IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS customers_of_payer ON customers (account_id, payment_provider, payment_provider_id)
  WHERE payment_provider_id IS NOT NULL;

-- Sweeps over all accounts: what is still under way, among all that is over.
CREATE INDEX CONCURRENTLY IF NOT EXISTS subscriptions_under_way ON subscriptions (account_id, subscription_id)
  WHERE status IN ('pending', 'active', 'paused') OR bills_at IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS test_clocks_advancing ON test_clocks (account_id, test_clock_id)
  WHERE status = 'advancing' AND deleted_at IS NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS payment_attempts_under_way ON payment_attempts (account_id, invoice_id)
  WHERE status NOT IN ('succeeded', 'failed');
CREATE INDEX CONCURRENTLY IF NOT EXISTS invoices_owed ON invoices (account_id, customer_id)
  WHERE status IN ('open', 'uncollectible');

-- Who uses a metric, an add-on; which metrics count costs.
CREATE INDEX CONCURRENTLY IF NOT EXISTS metrics_of_costs ON metrics (account_id, seq) WHERE is_cost_metric;
CREATE INDEX CONCURRENTLY IF NOT EXISTS plan_components_of_metric ON plan_components (account_id, metric_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS plan_features_of_metric ON plan_features (account_id, metric_id) WHERE metric_id IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS addon_subscriptions_of_addon ON addon_subscriptions (account_id, addon_id);

-- Answers kept for repeated calls that hold a customer's record, which go with it.
CREATE INDEX CONCURRENTLY IF NOT EXISTS operations_of_customer ON operations (account_id, (result->'body'->>'customer_id'))
  WHERE result->'body'->>'email' IS NOT NULL;
