import type { Instant } from '../billing/instants.ts';
import type { IssuedInvoice } from '../billing/invoice.ts';
import { postPaymentReceived } from '../billing/ledger.ts';
import { type NewPayment, payInvoice } from '../billing/pay-invoice.ts';
import { invoiceToWire } from '../wire/invoices.ts';
import { updateInvoicePaid } from './invoices.ts';
import { insertLedgerTransaction } from './ledger.ts';
import { insertOutboxEvent } from './outbox.ts';
import { insertPayment } from './payments.ts';
import type { Transaction } from './postgres.ts';

/**
 * Saves that all that is due of an invoice, which is locked, was paid, and tells of it; `at` is the customer's time. Answers the
 * invoice after it.
 * @throws DomainError `conflict` where the invoice is neither open nor uncollectible.
 */
export async function savePayment(
  tx: Transaction,
  accountId: string,
  invoice: IssuedInvoice,
  { paymentId, ...received }: NewPayment & { paymentId: string },
  at: Instant,
): Promise<IssuedInvoice> {
  const paid = payInvoice(invoice, received);
  const payment = { ...paid.payment, paymentId };
  const { invoiceId, customerId, currency } = invoice;
  await updateInvoicePaid(tx, accountId, paid.invoice);
  await insertPayment(tx, accountId, invoiceId, payment, at);
  const about = { accountId, customerId, currency, at, invoiceId };
  await insertLedgerTransaction(tx, about, postPaymentReceived(payment.amount));
  const after = { ...paid.invoice, payments: [...invoice.payments, payment] };
  const told = { accountId, subject: `invoice/${invoiceId}`, data: invoiceToWire(after) };
  await insertOutboxEvent(tx, { ...told, type: 'invoice.paid' });
  return after;
}
