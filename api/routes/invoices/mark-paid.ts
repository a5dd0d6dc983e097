import { newId } from '../../../core/ids.ts';
import { savePayment } from '../../../services/payments/save-payment.ts';
import { invoiceMarkPaid, invoicePath, invoiceToWire, invoiceWire } from '../../../wire/invoices.ts';
import { assertNotInFlight } from '../../idempotency/in-flight.ts';
import { lockInvoiceForChange } from '../../lock-for-change.ts';
import { operation } from '../../operation.ts';

export const markPaid = operation({
  id: 'markInvoicePaid',
  method: 'post',
  path: '/api/invoices/{invoice_id}/mark_paid',
  tag: 'Invoices',
  summary: 'Record that the caller has collected what is due',
  description: 'For callers who collect payment themselves, after the event invoice.created.',
  scope: 'write',
  params: invoicePath,
  body: invoiceMarkPaid,
  success: 200,
  response: invoiceWire,
  errors: [409],
  run: ({ caller: { accountId }, params, body, now, write }) =>
    write(async (tx) => {
      const { invoice, at } = await lockInvoiceForChange(tx, accountId, params.invoice_id, now);
      await assertNotInFlight(tx, accountId, invoice);
      const received = {
        paymentId: newId('pay'),
        method: 'manual',
        reference: body.reference,
        paidAt: body.paid_at ?? at,
      };
      return invoiceToWire(await savePayment(tx, accountId, invoice, received, at));
    }),
});
