import type { PlannedStep } from '../../billing/change-set.ts';
import { pastDueStep } from '../../billing/decide/invoice-changes.ts';
import { isPastDue } from '../../billing/invoices/invoice.ts';
import { pastDueSubject } from '../../billing/periods/step-subjects.ts';
import { loadCustomer } from '../../sql/postgres/customers/customers.ts';
import { findPlannedSubjects } from '../../sql/postgres/due-steps.ts';
import { findInvoices, lockInvoices } from '../../sql/postgres/invoices/invoices.ts';
import { findPastDueWaits } from '../../sql/postgres/invoices/past-due-waits.ts';
import { insertOutboxEvents } from '../../sql/postgres/outbox.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { invoiceToWire } from '../../wire/invoices.ts';
import { saveChanges } from '../billing/save-changes.ts';

/**
 * Publishes that invoices are past due, where they are still open; once, since their plans go with it. What is not past due yet, since
 * its customer's zone has changed, is waited for.
 */
export async function publishPastDue(tx: Transaction, accountId: string, invoiceIds: readonly string[]): Promise<void> {
  await lockInvoices(tx, accountId, [...invoiceIds]);
  const found = await findInvoices(tx, accountId, invoiceIds);
  const waiting = await findPastDueWaits(tx, accountId, invoiceIds);
  const planned = await findPlannedSubjects(tx, accountId, invoiceIds.map(pastDueSubject));
  const isPlanned = (id: string) => waiting.includes(id) || planned.includes(pastDueSubject(id));
  const inOrder = invoiceIds.flatMap((id) => found.find(({ invoiceId }) => invoiceId === id) ?? []);
  const open = inOrder.filter(({ invoiceId, status }) => status === 'open' && isPlanned(invoiceId));
  const events = open.filter(isPastDue).map((invoice) => {
    return { type: 'invoice.past_due', subject: `invoice/${invoice.invoiceId}`, data: invoiceToWire(invoice) };
  });
  await insertOutboxEvents(tx, accountId, events);
  const steps: PlannedStep[] = [];
  for (const invoice of open.filter((one) => !isPastDue(one))) {
    const { timeZone } = await loadCustomer(tx, accountId, invoice.customerId);
    steps.push(pastDueStep(invoice, { testClockId: invoice.testClockId, timeZone }));
  }
  const stepsDone = invoiceIds.map((invoiceId) => ({ kind: 'past_due', invoiceId }) as const);
  await saveChanges(tx, accountId, { stepsDone, steps });
}
