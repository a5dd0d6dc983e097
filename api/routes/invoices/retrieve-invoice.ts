import { loadShownInvoice } from '../../../services/invoices/lines/show-invoice.ts';
import { invoicePath, invoiceWire } from '../../../wire/invoices.ts';
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
  run: ({ caller, params, room, read }) =>
    read((tx) => loadShownInvoice(tx, caller.accountId, params.invoice_id, room)),
});
