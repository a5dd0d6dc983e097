import type { ChargedFee } from '../billing/cancel.ts';
import { decimal } from '../billing/decimal.ts';
import { type Instant, isoFromInstant } from '../billing/instants.ts';
import type { IssuedInvoice } from '../billing/invoice.ts';
import type { Transaction } from './postgres.ts';

type ChargedRow = { invoice_id: string; tax_rate: string; amount: string };

/** What invoices that are not void have charged as the fee of the period that starts at `startsAt`, oldest first. */
export async function listChargedFees(
  tx: Transaction,
  accountId: string,
  subscriptionId: string,
  startsAt: Instant,
): Promise<ChargedFee[]> {
  const answer = await tx.query<ChargedRow>(
    `SELECT i.invoice_id, i.tax_rate, sum(l.amount) AS amount
     FROM invoices i JOIN invoice_lines l USING (account_id, invoice_id)
     WHERE i.account_id = $1 AND i.subscription_id = $2 AND i.status <> 'void'
       AND l.type = 'recurring_fee' AND l.subscription_id = $2 AND l.period_start = $3
     GROUP BY i.invoice_id, i.tax_rate, i.seq ORDER BY i.seq`,
    [accountId, subscriptionId, isoFromInstant(startsAt)],
  );
  return answer.rows.map((row) => ({
    invoiceId: row.invoice_id,
    taxRate: decimal(row.tax_rate),
    amount: decimal(row.amount),
  }));
}

/** Stores what a give-back's credit paid of an invoice that was still open; its lines never change (contract 7). */
export async function updateInvoiceCredited(tx: Transaction, accountId: string, invoice: IssuedInvoice): Promise<void> {
  await tx.query(
    `UPDATE invoices SET status = $3, credits_applied = $4, amount_due = $5, paid_at = $6
     WHERE account_id = $1 AND invoice_id = $2`,
    [
      accountId,
      invoice.invoiceId,
      invoice.status,
      invoice.creditsApplied.toFixed(),
      invoice.amountDue.toFixed(),
      invoice.paidAt === null ? null : isoFromInstant(invoice.paidAt),
    ],
  );
}
