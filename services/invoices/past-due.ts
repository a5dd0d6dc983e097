import { type IssuedInvoice, isPastDue } from '../../billing/invoices/invoice.ts';
import { PAST_DUE_RANK } from '../../billing/periods/schedule.ts';
import type { Customer } from '../../billing/subscriptions/subscription.ts';
import { addDays, startOfLocalDay } from '../../core/instants.ts';
import { loadCustomer } from '../../sql/postgres/customers/customers.ts';
import { clearSteps, planSteps } from '../../sql/postgres/due-steps.ts';
import { lockInvoice } from '../../sql/postgres/invoices/invoices.ts';
import { deletePastDueWait, type InvoiceKey, upsertPastDueWaits } from '../../sql/postgres/invoices/past-due-waits.ts';
import { insertOutboxEvent } from '../../sql/postgres/outbox.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { invoiceToWire } from '../../wire/invoices.ts';

/**
 * Plans that open invoices of a customer become past due: at the begin of the day after their due date, in the customer's zone. In
 * the transaction that issues them; a step of the customer's test clock, else a wait of the sweep's.
 */
export async function planPastDue(
  tx: Transaction,
  accountId: string,
  { testClockId, timeZone }: Pick<Customer, 'testClockId' | 'timeZone'>,
  invoices: readonly Pick<IssuedInvoice, 'invoiceId' | 'dueDate'>[],
): Promise<void> {
  const waits = invoices.map(({ invoiceId, dueDate }) => {
    return { invoiceId, dueAt: startOfLocalDay(addDays(dueDate, 1), timeZone) };
  });
  if (testClockId === null) return upsertPastDueWaits(tx, accountId, waits);
  const steps = waits.map(({ invoiceId, dueAt }) => {
    return { subject: subjectOf(invoiceId), kind: 'past_due', dueAt, rank: PAST_DUE_RANK };
  });
  await planSteps(tx, { accountId, testClockId }, steps);
}

/**
 * Publishes that an invoice is past due, where it is still open; once, since its plan goes with it. A customer whose zone has
 * changed so that it is not past due yet is waited for.
 */
export async function publishPastDue(tx: Transaction, { accountId, invoiceId }: InvoiceKey): Promise<void> {
  const invoice = await lockInvoice(tx, accountId, invoiceId);
  const hasWaited = await deletePastDueWait(tx, { accountId, invoiceId });
  const cleared = await clearSteps(tx, { accountId, subjects: [subjectOf(invoiceId)] });
  if (invoice?.status !== 'open' || (!hasWaited && cleared === 0)) return;
  if (!isPastDue(invoice)) {
    const { timeZone } = await loadCustomer(tx, accountId, invoice.customerId);
    return planPastDue(tx, accountId, { testClockId: invoice.testClockId, timeZone }, [invoice]);
  }
  const data = invoiceToWire(invoice);
  await insertOutboxEvent(tx, { accountId, type: 'invoice.past_due', subject: `invoice/${invoiceId}`, data });
}

function subjectOf(invoiceId: string): string {
  return `past_due/${invoiceId}`;
}
