import { decideCollectionStep } from '../../billing/decide/next-steps.ts';
import type { Customer } from '../../billing/subscriptions/subscription.ts';
import { lockInvoices } from '../../sql/postgres/invoices/invoices.ts';
import { type Collection, findOpenInvoices, loadCollection } from '../../sql/postgres/payments/collections.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { saveChanges } from '../billing/save-changes.ts';

/** Plans the next step of a collection on the customer's test clock, in the place of an earlier one. In real time it does nothing. */
export async function planCollectionStep(
  tx: Transaction,
  { account, customer, invoice, step }: Collection,
): Promise<void> {
  const changes = decideCollectionStep(customer.testClockId, invoice.invoiceId, step);
  await saveChanges(tx, account.accountId, changes);
}

/**
 * Has the open invoices of a customer that can be charged from now on collected on their due date. What was tried goes on with its
 * next try. What was due on an earlier day and never tried is left to the caller, because it may have been collected in another way
 * (spec/payments#collection: "on its due date").
 */
export async function planCollectionsOf(tx: Transaction, accountId: string, customer: Customer): Promise<void> {
  const open = await findOpenInvoices(tx, accountId, customer.customerId);
  // Whatever plans the steps of a collection holds its invoice.
  await lockInvoices(
    tx,
    accountId,
    open.map(({ invoiceId }) => invoiceId),
  );
  for (const { invoiceId, wasTried } of open) {
    const collection = await loadCollection(tx, accountId, invoiceId);
    const { invoice, step } = collection;
    if (step === null || (!wasTried && invoice.dueDate < invoice.customerToday)) continue;
    const changes = decideCollectionStep(collection.customer.testClockId, invoiceId, step);
    await saveChanges(tx, accountId, { ...changes, events: [{ type: 'invoice.collectable', invoiceId }] });
  }
}
