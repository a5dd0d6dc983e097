-- What may hold usage for want of a price is few of all: plans with such price books, and first periods that a switch has left usage to.
CREATE INDEX CONCURRENTLY IF NOT EXISTS plan_components_holding ON plan_components (account_id, version_id) WHERE unmatched = 'hold';
CREATE INDEX CONCURRENTLY IF NOT EXISTS periods_carrying ON periods (account_id, subscription_id)
  WHERE (closed_at IS NULL OR waits) AND carried -> 'usages' <> '[]';
