import type { CollectedFee } from '../billing/cancel.ts';
import { decimal } from '../billing/decimal.ts';
import { isoFromInstant, isoOrNull } from '../billing/instants.ts';
import type { IssuedInvoice } from '../billing/invoice.ts';
import type { Period } from '../billing/periods.ts';
import { lockInvoices } from './invoices.ts';
import type { Transaction } from './postgres.ts';

type ChargedRow = { invoice_id: string; tax_rate: string; amount: string; unpaid: string };

/** `$2`: subscriptions that have had the period, one after another; `$3`, `$4`: its start and end. */
const CHARGED_FEES = `invoices i JOIN invoice_lines l USING (account_id, invoice_id)
  WHERE i.account_id = $1 AND i.status <> 'void' AND l.subscription_id = ANY($2)
    AND i.customer_id = (SELECT customer_id FROM subscriptions WHERE account_id = $1 AND subscription_id = $2[1])
    AND (l.type = 'recurring_fee' AND l.period_start = $3
      OR l.type = 'proration' AND l.metric_id IS NULL AND l.period_end = $4)`;

/** Locks the invoices that {@link listChargedFees} names, so that none of them is paid or voided meanwhile. */
export async function lockChargedFees(
  tx: Transaction,
  accountId: string,
  subscriptionIds: string[],
  { startsAt, endsAt }: Pick<Period, 'startsAt' | 'endsAt'>,
): Promise<void> {
  const answer = await tx.query<{ invoice_id: string }>(`SELECT DISTINCT i.invoice_id FROM ${CHARGED_FEES}`, [
    accountId,
    subscriptionIds,
    isoFromInstant(startsAt),
    isoFromInstant(endsAt),
  ]);
  const ids = answer.rows.map((row) => row.invoice_id);
  await lockInvoices(tx, accountId, ids);
}

/**
 * What invoices that are not void have charged as the fee of a period, oldest first: its fee, and what switches within it
 * have added. `subscriptionIds` are those that have had the period, one after another.
 */
export async function listChargedFees(
  tx: Transaction,
  accountId: string,
  subscriptionIds: string[],
  { startsAt, endsAt }: Pick<Period, 'startsAt' | 'endsAt'>,
): Promise<CollectedFee[]> {
  const answer = await tx.query<ChargedRow>(
    `SELECT i.invoice_id, i.tax_rate, sum(l.amount) AS amount,
       CASE WHEN i.status = 'uncollectible' THEN i.amount_due ELSE 0 END AS unpaid
     FROM ${CHARGED_FEES}
     GROUP BY i.invoice_id, i.tax_rate, i.status, i.amount_due, i.seq ORDER BY i.seq`,
    [accountId, subscriptionIds, isoFromInstant(startsAt), isoFromInstant(endsAt)],
  );
  return answer.rows.map((row) => ({
    invoiceId: row.invoice_id,
    taxRate: decimal(row.tax_rate),
    amount: decimal(row.amount),
    unpaid: decimal(row.unpaid),
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
      isoOrNull(invoice.paidAt),
    ],
  );
}
