import type { Instant } from '../../core/instants.ts';
import type { ChangeSet } from '../change-set.ts';
import type { IssuedInvoice } from '../invoices/invoice.ts';
import { type NewPayment, payInvoice } from '../invoices/pay-invoice.ts';
import { postPaymentReceived } from '../ledger/ledger.ts';

/**
 * Decides the payment of the whole amount due of an invoice. `at` is in the customer's time.
 * @throws DomainError `conflict` if the invoice is neither open nor uncollectible
 */
export function decidePayment(
  before: IssuedInvoice,
  { paymentId, ...received }: NewPayment & { paymentId: string },
  at: Instant,
): { invoice: IssuedInvoice; changes: ChangeSet } {
  const paid = payInvoice(before, received);
  const payment = { ...paid.payment, paymentId };
  const invoice = { ...paid.invoice, payments: [...before.payments, payment] };
  const { invoiceId, customerId, currency } = invoice;
  const subject = { customerId, currency, at, invoiceId };
  return {
    invoice,
    changes: {
      invoicesChanged: [invoice],
      payments: [{ invoiceId, payment, at }],
      postings: [{ subject, posting: postPaymentReceived(payment.amount) }],
      events: [{ type: 'invoice.paid', invoiceId }],
    },
  };
}
