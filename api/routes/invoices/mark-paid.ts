import { markPaid as mark } from '../../../services/payments/mark-paid.ts';
import { invoiceMarkPaid, invoicePath, invoiceWire } from '../../../wire/invoices.ts';
import { operation } from '../../operation.ts';

export const markPaid = operation({
  id: 'markInvoicePaid',
  method: 'post',
  path: '/api/invoices/{invoice_id}/mark_paid',
  tag: 'Invoices',
  summary: 'Record that the caller has collected what is due',
  description: 'For callers who collect payment themselves, after the event invoice.created.',
  scope: 'write',
  audit: 'invoice.marked_paid',
  params: invoicePath,
  body: invoiceMarkPaid,
  success: 200,
  previews: true,
  response: invoiceWire,
  errors: [409],
  run: ({ caller, params, body, now, room, write }) =>
    write((tx) => mark(tx, caller.accountId, params.invoice_id, body, { now, room })),
});
