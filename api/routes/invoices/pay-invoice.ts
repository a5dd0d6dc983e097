import { nextInvoiceStatus } from '../../../billing/subscriptions/states.ts';
import { conflict, DomainError, notFound } from '../../../core/domain-error.ts';
import { loadCustomer } from '../../../sql/postgres/customers/customers.ts';
import { findInvoice, loadInvoice } from '../../../sql/postgres/invoices/invoices.ts';
import { hasLiveAttempt } from '../../../sql/postgres/payments/payment-attempts.ts';
import type { Transaction } from '../../../sql/postgres/postgres.ts';
import { invoicePath, invoiceToWire, invoiceWire } from '../../../wire/invoices.ts';
import { operation } from '../../operation.ts';

export const payInvoice = operation({
  id: 'payInvoice',
  method: 'post',
  path: '/api/invoices/{invoice_id}/pay',
  tag: 'Invoices',
  summary: 'Collect what is due now, through the payment processor of the customer',
  description:
    'Answers with the invoice after the attempt: `paid` where the money is here, unchanged where the payment was declined ' +
    '(`subscription.failed` tells it), is still worked on, or waits for the customer to act. A try that waits for the ' +
    'customer is taken back by the next one.',
  scope: 'write',
  params: invoicePath,
  success: 200,
  response: invoiceWire,
  errors: [409],
  run: async (
    { caller: { accountId }, params, operation: { operationId, formerIds }, read, write },
    { workflows, connections },
  ) => {
    const { invoice, customer } = await read(async (tx) => {
      const found = await findInvoice(tx, accountId, params.invoice_id);
      if (!found) throw notFound(`invoice ${params.invoice_id}`);
      return { invoice: found, customer: await loadCustomer(tx, accountId, found.customerId) };
    });
    const { invoiceId, status } = invoice;
    nextInvoiceStatus(status, 'pay');
    // Contract 10: without a processor the caller collects, and says so with mark_paid.
    if (customer.paymentProviderId === null || !(await connections.find(accountId, customer.paymentProvider))) {
      throw conflict(`The invoice is ${status} and no payment processor is configured to collect it.`);
    }
    try {
      await workflows.payInvoice({ accountId, invoiceId }, { operationId, formerIds });
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'unavailable') throw error;
      // What is being collected goes on by itself; what has been meanwhile is no failure of ours.
      const isCollected = await read((tx) => isBeingCollected(tx, accountId, invoiceId));
      if (!isCollected) throw error;
    }
    return write((tx) => loadWire(tx, accountId, invoiceId));
  },
});

/** @throws DomainError `conflict` where another call was faster, and the invoice is paid. */
async function isBeingCollected(tx: Transaction, accountId: string, invoiceId: string): Promise<boolean> {
  const invoice = await findInvoice(tx, accountId, invoiceId);
  if (invoice) nextInvoiceStatus(invoice.status, 'pay');
  return hasLiveAttempt(tx, accountId, invoiceId);
}

async function loadWire(tx: Transaction, accountId: string, invoiceId: string) {
  return invoiceToWire(await loadInvoice(tx, accountId, invoiceId));
}
