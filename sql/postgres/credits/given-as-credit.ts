import type { CreditedBack } from '../../../billing/credits/refunds.ts';
import { currencyOf } from '../../../core/currencies.ts';
import { type Decimal, decimal, roundHalfAwayFromZero, ZERO } from '../../../core/decimal.ts';
import { linesOnSections } from '../invoices/invoice-sections.ts';
import type { Transaction } from '../postgres.ts';

/**
 * What was given back of invoices as credits, with the tax in it, `$1` the account: the sums of the ledger, where what was
 * undone since is below 0. To go on with which invoices, and `GROUP BY t.invoice_id, t.credit_id`.
 */
export const GIVEN_AS_CREDIT = `SELECT t.invoice_id, t.credit_id,
    -coalesce(sum(e.amount) FILTER (WHERE e.ledger_account = 'customer_credits'), 0) AS amount,
    coalesce(sum(e.amount) FILTER (WHERE e.ledger_account = 'tax_payable'), 0) AS tax
  FROM ledger_transactions t JOIN ledger_entries e USING (account_id, ledger_transaction_id)
  WHERE t.account_id = $1 AND t.kind = 'fee_given_back'`;

/** What of each of these invoices was given back, as credits and by lines of others; those of which nothing was are not there. */
export async function listCreditedBack(
  tx: Transaction,
  accountId: string,
  invoiceIds: readonly string[],
): Promise<Map<string, CreditedBack>> {
  if (invoiceIds.length === 0) return new Map();
  const { rows } = await tx.query<{ invoice_id: string; given: string; applied: string }>(
    `WITH given AS (${GIVEN_AS_CREDIT} AND t.invoice_id = ANY($2) GROUP BY t.invoice_id, t.credit_id)
     SELECT given.invoice_id, sum(given.amount) AS given, coalesce(sum(a.amount), 0) AS applied
     FROM given LEFT JOIN credit_applications a ON a.account_id = $1 AND a.credit_id = given.credit_id
       AND a.invoice_id = given.invoice_id AND a.reversed_at IS NULL
     GROUP BY given.invoice_id`,
    [accountId, invoiceIds],
  );
  const back = new Map(
    rows.map((row) => [row.invoice_id, { given: decimal(row.given), applied: decimal(row.applied) }]),
  );
  for (const { invoiceId, amount } of await listTakenBack(tx, accountId, invoiceIds)) {
    const { given, applied } = back.get(invoiceId) ?? { given: ZERO, applied: ZERO };
    back.set(invoiceId, { given: given.plus(amount), applied });
  }
  return back;
}

type TakenBackRow = { invoice_id: string; amount: string; tax_rate: string; currency: string };

/** Whose lines are on these invoices. */
const CUSTOMERS_OF_INVOICES = `SELECT DISTINCT coalesce(k.customer_id, o.customer_id)
  FROM invoices o JOIN invoice_lines k USING (account_id, invoice_id) WHERE o.account_id = $1 AND o.invoice_id = ANY($2)`;

/** What lines below 0 of other invoices that are not void, and lines that wait for one, also on sections, give back of invoices; with its tax. */
async function listTakenBack(
  tx: Transaction,
  accountId: string,
  invoiceIds: readonly string[],
): Promise<{ invoiceId: string; amount: Decimal }[]> {
  const { rows } = await tx.query<TakenBackRow>(
    `SELECT l.given_back_of AS invoice_id, -l.amount AS amount, coalesce((l.basis ->> 'taxRate')::numeric, i.tax_rate) AS tax_rate, i.currency
     FROM invoice_lines l JOIN invoices i ON i.account_id = l.account_id AND i.invoice_id = l.invoice_id
     WHERE l.account_id = $1 AND l.given_back_of = ANY($2) AND l.given_back_of <> l.invoice_id AND i.status <> 'void'
     UNION ALL
     SELECT i.invoice_id, -(w.line ->> 'amount')::numeric, i.tax_rate, i.currency
     FROM waiting_lines w JOIN invoices i ON i.account_id = w.account_id AND i.invoice_id = w.line ->> 'givenBackOf'
     WHERE w.account_id = $1 AND w.line ->> 'givenBackOf' = ANY($2) AND w.invoice_id IS NULL
     UNION ALL
     SELECT i.invoice_id, -w.amount, i.tax_rate, i.currency
     FROM (${linesOnSections(CUSTOMERS_OF_INVOICES)}) w
       JOIN invoices i ON i.account_id = $1 AND i.invoice_id = w.given_back_of
     WHERE w.given_back_of = ANY($2)`,
    [accountId, invoiceIds],
  );
  return rows.map((row) => {
    const amount = decimal(row.amount);
    const tax = roundHalfAwayFromZero(amount.times(row.tax_rate).shiftedBy(-2), currencyOf(row.currency).exponent);
    return { invoiceId: row.invoice_id, amount: amount.plus(tax) };
  });
}

/** {@link listCreditedBack} of one invoice. */
export async function loadCreditedBack(tx: Transaction, accountId: string, invoiceId: string): Promise<CreditedBack> {
  const found = await listCreditedBack(tx, accountId, [invoiceId]);
  return found.get(invoiceId) ?? { given: ZERO, applied: ZERO };
}
