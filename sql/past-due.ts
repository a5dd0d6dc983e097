import { addDays, isoFromInstant, startOfLocalDay } from '../billing/instants.ts';
import { type IssuedInvoice, isPastDue } from '../billing/invoice.ts';
import { PAST_DUE_RANK } from '../billing/next-boundary.ts';
import { invoiceToWire } from '../wire/invoices.ts';
import { loadCustomer } from './customers.ts';
import { clearSteps, planStep } from './due-steps.ts';
import { lockInvoice } from './invoices.ts';
import { insertOutboxEvent } from './outbox.ts';
import type { Pool, Transaction } from './postgres.ts';

type InvoiceKey = { accountId: string; invoiceId: string };

/**
 * Plans that an open invoice becomes past due: at the begin of the day after its due date, in the customer's zone. In the
 * transaction that issues it; a step of the customer's test clock, else a wait of the sweep's.
 */
export async function planPastDue(
  tx: Transaction,
  accountId: string,
  invoice: Pick<IssuedInvoice, 'invoiceId' | 'dueDate' | 'testClockId'>,
  timeZone: string,
): Promise<void> {
  const { invoiceId, testClockId } = invoice;
  const dueAt = startOfLocalDay(addDays(invoice.dueDate, 1), timeZone);
  const subject = subjectOf(invoiceId);
  await planStep(tx, { accountId, testClockId, subject, kind: 'past_due', dueAt, rank: PAST_DUE_RANK });
  if (testClockId !== null) return;
  await tx.query(
    `INSERT INTO past_due_waits (account_id, invoice_id, due_at) VALUES ($1, $2, $3)
     ON CONFLICT (account_id, invoice_id) DO UPDATE SET due_at = excluded.due_at`,
    [accountId, invoiceId, isoFromInstant(dueAt)],
  );
}

/**
 * Tells that an invoice is past due, where it is still open; once, since its plan goes with it. A customer whose zone has
 * changed so that it is not past due yet is waited for.
 */
export async function tellPastDue(tx: Transaction, { accountId, invoiceId }: InvoiceKey): Promise<void> {
  const invoice = await lockInvoice(tx, accountId, invoiceId);
  const subject = subjectOf(invoiceId);
  const gone = await tx.query('DELETE FROM past_due_waits WHERE account_id = $1 AND invoice_id = $2', [
    accountId,
    invoiceId,
  ]);
  const cleared = await clearSteps(tx, { accountId, subject });
  const isPlanned = (gone.rowCount ?? 0) + cleared > 0;
  if (invoice?.status !== 'open' || !isPlanned) return;
  if (!isPastDue(invoice)) {
    const { timeZone } = await loadCustomer(tx, accountId, invoice.customerId);
    return planPastDue(tx, accountId, invoice, timeZone);
  }
  const data = invoiceToWire(invoice);
  await insertOutboxEvent(tx, { accountId, type: 'invoice.past_due', subject: `invoice/${invoiceId}`, data });
}

/** Invoices whose wait is over by the books' clock, which their customers' day is told from, too; the longest over first. */
export async function listPastDue(pool: Pool, limit: number): Promise<InvoiceKey[]> {
  const answer = await pool.query<{ account_id: string; invoice_id: string }>(
    'SELECT account_id, invoice_id FROM past_due_waits WHERE due_at <= now() ORDER BY due_at LIMIT $1',
    [limit],
  );
  return answer.rows.map((row) => ({ accountId: row.account_id, invoiceId: row.invoice_id }));
}

function subjectOf(invoiceId: string): string {
  return `past_due/${invoiceId}`;
}
