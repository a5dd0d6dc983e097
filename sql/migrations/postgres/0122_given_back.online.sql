-- What was given back of an invoice as a credit is asked wherever its money moves.
CREATE INDEX CONCURRENTLY IF NOT EXISTS ledger_given_back ON ledger_transactions (account_id, invoice_id)
  WHERE kind = 'fee_given_back';
