import { type IssuedInvoice, isPastDue } from '../../billing/invoices/invoice.ts';
import { PAST_DUE_RANK } from '../../billing/periods/schedule.ts';
import type { Customer } from '../../billing/subscriptions/subscription.ts';
import { addDays, startOfLocalDay } from '../../core/instants.ts';
import { loadCustomer } from '../../sql/postgres/customers/customers.ts';
import { clearSteps, planSteps } from '../../sql/postgres/due-steps.ts';
import { findInvoices, lockInvoices } from '../../sql/postgres/invoices/invoices.ts';
import { deletePastDueWaits, upsertPastDueWaits } from '../../sql/postgres/invoices/past-due-waits.ts';
import { insertOutboxEvents } from '../../sql/postgres/outbox.ts';
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
 * Publishes that invoices are past due, where they are still open; once, since their plans go with it. What is not past due yet, since
 * its customer's zone has changed, is waited for.
 */
export async function publishPastDue(tx: Transaction, accountId: string, invoiceIds: readonly string[]): Promise<void> {
  await lockInvoices(tx, accountId, [...invoiceIds]);
  const found = await findInvoices(tx, accountId, invoiceIds);
  const waited = await deletePastDueWaits(tx, accountId, invoiceIds);
  const cleared = await clearSteps(tx, { accountId, subjects: invoiceIds.map(subjectOf) });
  const isPlanned = (id: string) => waited.includes(id) || cleared.includes(subjectOf(id));
  const inOrder = invoiceIds.flatMap((id) => found.find(({ invoiceId }) => invoiceId === id) ?? []);
  const open = inOrder.filter(({ invoiceId, status }) => status === 'open' && isPlanned(invoiceId));
  const events = open.filter(isPastDue).map((invoice) => {
    return { type: 'invoice.past_due', subject: `invoice/${invoice.invoiceId}`, data: invoiceToWire(invoice) };
  });
  await insertOutboxEvents(tx, accountId, events);
  for (const invoice of open.filter((one) => !isPastDue(one))) {
    const { timeZone } = await loadCustomer(tx, accountId, invoice.customerId);
    await planPastDue(tx, accountId, { testClockId: invoice.testClockId, timeZone }, [invoice]);
  }
}

function subjectOf(invoiceId: string): string {
  return `past_due/${invoiceId}`;
}
