-- Which lines an event was counted by (spec/events#trace): by subscription and start of the line. Built while others write.
CREATE INDEX CONCURRENTLY IF NOT EXISTS invoice_lines_of_usage ON invoice_lines (account_id, subscription_id, period_start)
  WHERE type IN ('usage', 'late_usage');
