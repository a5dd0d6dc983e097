import { conflict, notFound } from '../../../billing/domain-error.ts';
import { nextInvoiceStatus } from '../../../billing/states.ts';
import { findInvoice } from '../../../sql/invoices.ts';
import { invoicePath, invoiceWire } from '../../../wire/invoices.ts';
import { operation } from '../../operation.ts';

export const payInvoice = operation({
  method: 'post',
  path: '/api/invoices/{invoice_id}/pay',
  tag: 'Invoices',
  summary: 'Collect what is due now, through the payment processor of the customer',
  scope: 'write',
  params: invoicePath,
  success: 200,
  response: invoiceWire,
  errors: [409],
  run: ({ caller, params, read }) =>
    read(async (tx) => {
      const invoice = await findInvoice(tx, caller.accountId, params.invoice_id);
      if (!invoice) throw notFound(`invoice ${params.invoice_id}`);
      nextInvoiceStatus(invoice.status, 'pay');
      // Contract 10: without a processor the caller collects, and says so with mark_paid.
      throw conflict(`The invoice is ${invoice.status} and no payment processor is configured to collect it.`);
    }),
});
