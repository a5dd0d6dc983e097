import { notFound } from '../../../core/domain-error.ts';
import { findInvoiceShown } from '../../../sql/postgres/invoices/shown-invoices.ts';
import { invoicePath, invoiceToWire, invoiceWire } from '../../../wire/invoices.ts';
import { operation } from '../../operation.ts';

export const retrieveInvoice = operation({
  id: 'retrieveInvoice',
  method: 'get',
  path: '/api/invoices/{invoice_id}',
  tag: 'Invoices',
  summary: 'Retrieve an invoice by its id or its number',
  scope: 'read',
  params: invoicePath,
  success: 200,
  response: invoiceWire,
  run: ({ caller, params, read }, { responseMaxBytes }) =>
    read(async (tx) => {
      const invoice = await findInvoiceShown(tx, caller.accountId, params.invoice_id, responseMaxBytes);
      if (!invoice) throw notFound(`invoice ${params.invoice_id}`);
      return invoiceToWire(invoice);
    }),
});
