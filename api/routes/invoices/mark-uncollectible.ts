import { nextInvoiceStatus } from '../../../billing/subscriptions/states.ts';
import { updateInvoiceStatus } from '../../../sql/postgres/invoices/invoices.ts';
import { invoicePath, invoiceToWire, invoiceWire } from '../../../wire/invoices.ts';
import { assertNotInFlight } from '../../idempotency/in-flight.ts';
import { lockInvoiceForChange } from '../../lock-for-change.ts';
import { operation } from '../../operation.ts';

export const markUncollectible = operation({
  id: 'markInvoiceUncollectible',
  method: 'post',
  path: '/api/invoices/{invoice_id}/mark_uncollectible',
  tag: 'Invoices',
  summary: 'Give up collecting an open invoice',
  description: 'It stays due, and can still be paid or voided.',
  scope: 'write',
  params: invoicePath,
  success: 200,
  response: invoiceWire,
  errors: [409],
  run: ({ caller: { accountId }, params, now, write }) =>
    write(async (tx) => {
      const { invoice } = await lockInvoiceForChange(tx, accountId, params.invoice_id, now);
      await assertNotInFlight(tx, accountId, invoice);
      const marked = { ...invoice, status: nextInvoiceStatus(invoice.status, 'mark_uncollectible') };
      await updateInvoiceStatus(tx, accountId, marked);
      return invoiceToWire(marked);
    }),
});
