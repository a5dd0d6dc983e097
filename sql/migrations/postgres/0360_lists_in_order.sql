-- Lists that are sorted by numbers, by lower(...) or by coalesce(...), from a place on (sql/postgres/page-window.ts). Postgres checks row-level
-- security first, and an index serves another condition only if its functions are known not to leak, which these are not. These views check the account themselves, so that an index serves both. They show one account's rows, as the policies of 0090 do.
CREATE VIEW invoices_in_order AS
  SELECT account_id, seq, customer_id, subscription_id, status, kind, invoice_number, issue_date, due_date, created_at, total, amount_due
  FROM invoices WHERE account_id = current_setting('meterbook.account_id');
CREATE VIEW customers_in_order AS
  SELECT account_id, seq, customer_id, customer_name, created_at, deleted_at, test_clock_id
  FROM customers WHERE account_id = current_setting('meterbook.account_id');
CREATE VIEW refunds_in_order AS
  SELECT account_id, seq, customer_id, invoice_id, status, created_at, amount
  FROM refunds WHERE account_id = current_setting('meterbook.account_id');
CREATE VIEW credits_in_order AS
  SELECT account_id, seq, customer_id, created_at, expires_at, voided_at, amount_remaining
  FROM credits WHERE account_id = current_setting('meterbook.account_id');
GRANT SELECT ON invoices_in_order, customers_in_order, refunds_in_order, credits_in_order TO meterbook_tenant;
