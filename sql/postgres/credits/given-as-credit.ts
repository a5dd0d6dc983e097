/**
 * What was given back of invoices as credits, with the tax in it, `$1` the account: the sums of the ledger, where what was
 * undone since is below 0. To go on with which invoices, and `GROUP BY t.invoice_id, t.credit_id`.
 */
export const GIVEN_AS_CREDIT = `SELECT t.invoice_id, t.credit_id,
    -coalesce(sum(e.amount) FILTER (WHERE e.ledger_account = 'customer_credits'), 0) AS amount,
    coalesce(sum(e.amount) FILTER (WHERE e.ledger_account = 'tax_payable'), 0) AS tax
  FROM ledger_transactions t JOIN ledger_entries e USING (account_id, ledger_transaction_id)
  WHERE t.account_id = $1 AND t.kind = 'fee_given_back'`;
