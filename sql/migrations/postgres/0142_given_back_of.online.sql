-- What later invoices give back of an invoice is asked wherever its money moves.
CREATE INDEX CONCURRENTLY IF NOT EXISTS invoice_lines_given_back ON invoice_lines (account_id, given_back_of)
  WHERE given_back_of IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS waiting_lines_given_back ON waiting_lines (account_id, (line ->> 'givenBackOf'))
  WHERE invoice_id IS NULL AND line ->> 'givenBackOf' IS NOT NULL;
