import { postPaymentReceived } from '../../../billing/ledger.ts';
import { payInvoice } from '../../../billing/pay-invoice.ts';
import { newId } from '../../../runtime/ids.ts';
import { updateInvoicePaid } from '../../../sql/invoices.ts';
import { insertLedgerTransaction } from '../../../sql/ledger.ts';
import { insertOutboxEvent } from '../../../sql/outbox.ts';
import { insertPayment } from '../../../sql/payments.ts';
import { invoiceMarkPaid, invoicePath, invoiceToWire, invoiceWire } from '../../../wire/invoices.ts';
import { assertNotInFlight } from '../../in-flight.ts';
import { lockInvoiceForChange } from '../../lock-for-change.ts';
import { operation } from '../../operation.ts';

export const markPaid = operation({
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
      const received = { method: 'manual', reference: body.reference, paidAt: body.paid_at ?? at };
      const paid = payInvoice(invoice, received);
      const payment = { ...paid.payment, paymentId: newId('pay') };
      const { invoiceId, customerId, currency } = invoice;
      await updateInvoicePaid(tx, accountId, paid.invoice);
      await insertPayment(tx, accountId, invoiceId, payment, at);
      const subject = { accountId, customerId, currency, at, invoiceId };
      await insertLedgerTransaction(tx, subject, postPaymentReceived(payment.amount));
      const payments = [...invoice.payments, payment];
      const wire = invoiceToWire({ ...invoice, ...paid.invoice, payments });
      await insertOutboxEvent(tx, { accountId, type: 'invoice.paid', subject: `invoice/${invoiceId}`, data: wire });
      return wire;
    }),
});
