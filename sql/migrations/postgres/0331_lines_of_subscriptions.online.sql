-- What a subscription's periods were charged but for fees and add-ons is found by it and the start of the line: for limits also prepaid units and true-ups.
-- One index in the place of two, which had some of these types each.
CREATE INDEX CONCURRENTLY IF NOT EXISTS invoice_lines_of_subscription ON invoice_lines (account_id, subscription_id, period_start)
  WHERE type IN ('usage', 'late_usage', 'prepaid_units', 'proration', 'true_up');
DROP INDEX CONCURRENTLY IF EXISTS invoice_lines_of_periods;
DROP INDEX CONCURRENTLY IF EXISTS invoice_lines_of_usage;
