-- What was billed to others for a customer.
CREATE INDEX CONCURRENTLY IF NOT EXISTS invoice_lines_of_customer ON invoice_lines (account_id, customer_id) WHERE customer_id IS NOT NULL;
