import { ZERO } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import { nextInvoiceStatus } from '../subscriptions/states.ts';
import type { Invoice, Payment } from './invoice.ts';

/** What was received for an invoice, before saving gives it its id. */
export type NewPayment = { method: string; reference: string | null; paidAt: Instant };

/**
 * The invoice after all that is due of it was paid (spec/invoices#states). Throws `conflict` where it is neither open nor
 * uncollectible.
 */
export function payInvoice<I extends Invoice>(
  invoice: I,
  payment: NewPayment,
): { invoice: I; payment: Omit<Payment, 'paymentId'> } {
  const status = nextInvoiceStatus(invoice.status, 'pay');
  const amountPaid = invoice.amountPaid.plus(invoice.amountDue);
  return {
    invoice: { ...invoice, status, amountPaid, amountDue: ZERO, paidAt: payment.paidAt },
    payment: { ...payment, amount: invoice.amountDue },
  };
}
