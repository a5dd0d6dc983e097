import { markUncollectible as mark } from '../../../services/payments/mark-uncollectible.ts';
import { invoicePath, invoiceWire } from '../../../wire/invoices.ts';
import { operation } from '../../operation.ts';

export const markUncollectible = operation({
  id: 'markInvoiceUncollectible',
  method: 'post',
  path: '/api/invoices/{invoice_id}/mark_uncollectible',
  tag: 'Invoices',
  summary: 'Give up collecting an open invoice',
  description: 'It stays due, and can still be paid or voided.',
  scope: 'write',
  audit: 'invoice.marked_uncollectible',
  params: invoicePath,
  success: 200,
  previews: true,
  response: invoiceWire,
  errors: [409],
  run: ({ caller, params, now, room, write }) =>
    write((tx) => mark(tx, caller.accountId, params.invoice_id, { now, room })),
});
