import { type IssuedInvoice, isPastDue } from '../../billing/invoices/invoice.ts';
import { PAST_DUE_RANK } from '../../billing/periods/schedule.ts';
import { addDays, startOfLocalDay } from '../../core/instants.ts';
import { loadCustomer } from '../../sql/postgres/customers/customers.ts';
import { clearSteps, planStep } from '../../sql/postgres/due-steps.ts';
import { lockInvoice } from '../../sql/postgres/invoices/invoices.ts';
import { deletePastDueWait, type InvoiceKey, upsertPastDueWait } from '../../sql/postgres/invoices/past-due-waits.ts';
import { insertOutboxEvent } from '../../sql/postgres/outbox.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { invoiceToWire } from '../../wire/invoices.ts';

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
  if (testClockId === null) await upsertPastDueWait(tx, { accountId, invoiceId }, dueAt);
}

/**
 * Publishes that an invoice is past due, where it is still open; once, since its plan goes with it. A customer whose zone has
 * changed so that it is not past due yet is waited for.
 */
export async function publishPastDue(tx: Transaction, { accountId, invoiceId }: InvoiceKey): Promise<void> {
  const invoice = await lockInvoice(tx, accountId, invoiceId);
  const subject = subjectOf(invoiceId);
  const hasWaited = await deletePastDueWait(tx, { accountId, invoiceId });
  const cleared = await clearSteps(tx, { accountId, subject });
  if (invoice?.status !== 'open' || (!hasWaited && cleared === 0)) return;
  if (!isPastDue(invoice)) {
    const { timeZone } = await loadCustomer(tx, accountId, invoice.customerId);
    return planPastDue(tx, accountId, invoice, timeZone);
  }
  const data = invoiceToWire(invoice);
  await insertOutboxEvent(tx, { accountId, type: 'invoice.past_due', subject: `invoice/${invoiceId}`, data });
}

function subjectOf(invoiceId: string): string {
  return `past_due/${invoiceId}`;
}
