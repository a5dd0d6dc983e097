import { nextInvoiceStatus } from '../../billing/subscriptions/states.ts';
import { conflict, DomainError, notFound } from '../../core/domain-error.ts';
import { loadCustomer } from '../../sql/postgres/customers/customers.ts';
import { findInvoice } from '../../sql/postgres/invoices/invoices.ts';
import type { AnswerRoom } from '../../sql/postgres/page-window.ts';
import { hasLiveAttempt } from '../../sql/postgres/payments/payment-attempts.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import type { ServiceDependencies } from '../dependencies.ts';
import { loadShownInvoice, type ShownInvoice } from '../invoices/lines/show-invoice.ts';
import type { InvoiceRef } from '../references.ts';
import type { Transactions } from '../transactions.ts';

type Collection = Pick<ServiceDependencies, 'connections'> & {
  /** Has the workflow of the invoice's collection try now, and waits for what comes of it; `unavailable` where that takes too long. */
  collect(invoice: InvoiceRef): Promise<void>;
};

/**
 * Has what is due of an invoice, named by its id or its number, collected now. Answers with the invoice after the attempt, or
 * as it is where the attempt is still worked on.
 * @throws DomainError `not_found`; `conflict` where nothing is due or no processor collects; `unavailable` while Temporal is away.
 */
export async function payInvoice(
  { read }: Pick<Transactions, 'read'>,
  { connections, collect }: Collection,
  { accountId, idOrNumber, room }: { accountId: string; idOrNumber: string; room: AnswerRoom },
): Promise<ShownInvoice> {
  const { invoice, customer } = await read(async (tx) => {
    const found = await findInvoice(tx, accountId, idOrNumber);
    if (!found) throw notFound(`invoice ${idOrNumber}`);
    return { invoice: found, customer: await loadCustomer(tx, accountId, found.customerId) };
  });
  const { invoiceId, status } = invoice;
  nextInvoiceStatus(status, 'pay');
  // Without a processor the caller collects, and says so by marking the invoice paid.
  if (customer.paymentProviderId === null || !(await connections.find(accountId, customer.paymentProvider))) {
    throw conflict(`The invoice is ${status} and no payment processor is configured to collect it.`);
  }
  try {
    await collect({ accountId, invoiceId });
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'unavailable') throw error;
    // What is being collected goes on by itself; what has been meanwhile is no failure of ours.
    const isCollected = await read((tx) => isBeingCollected(tx, { accountId, invoiceId }));
    if (!isCollected) throw error;
  }
  return read((tx) => loadShownInvoice(tx, accountId, invoiceId, room));
}

/** @throws DomainError `conflict` where another call was faster, and the invoice is paid. */
async function isBeingCollected(tx: Transaction, { accountId, invoiceId }: InvoiceRef): Promise<boolean> {
  const invoice = await findInvoice(tx, accountId, invoiceId);
  if (invoice) nextInvoiceStatus(invoice.status, 'pay');
  return hasLiveAttempt(tx, accountId, invoiceId);
}
