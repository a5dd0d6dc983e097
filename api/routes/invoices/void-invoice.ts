import { voidInvoice as voidOne } from '../../../services/invoices/void.ts';
import { invoicePath, invoiceWire } from '../../../wire/invoices.ts';
import { operation } from '../../operation.ts';

export const voidInvoice = operation({
  id: 'voidInvoice',
  method: 'post',
  path: '/api/invoices/{invoice_id}/void',
  tag: 'Invoices',
  summary: 'Void an invoice that is not paid, and give back the credits it used',
  description: 'Its amounts stay as they were issued; nothing of them is due any more.',
  scope: 'write',
  audit: 'invoice.voided',
  params: invoicePath,
  success: 200,
  previews: true,
  response: invoiceWire,
  errors: [409],
  run: ({ caller, params, now, room, write }) =>
    write((tx) => voidOne(tx, caller.accountId, params.invoice_id, { now, room })),
});
