-- What a period's usage and the switches within it were charged with is found by the subscription and the start of the line.
CREATE INDEX CONCURRENTLY IF NOT EXISTS invoice_lines_of_periods ON invoice_lines (account_id, subscription_id, period_start)
  WHERE type IN ('usage', 'proration');
