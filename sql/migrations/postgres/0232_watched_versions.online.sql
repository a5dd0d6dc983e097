-- Which plan versions are in use, and the last row of each of their price books: asked every second.
CREATE INDEX CONCURRENTLY IF NOT EXISTS subscriptions_live_of_version ON subscriptions (account_id, plan_id, version)
  WHERE status IN ('pending', 'active', 'paused');
CREATE INDEX CONCURRENTLY IF NOT EXISTS plan_prices_newest ON plan_prices (account_id, version_id, metric_id, seq);
