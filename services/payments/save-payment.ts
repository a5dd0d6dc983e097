import type { IssuedInvoice } from '../../billing/invoices/invoice.ts';
import { type NewPayment, payInvoice } from '../../billing/invoices/pay-invoice.ts';
import { postPaymentReceived } from '../../billing/ledger/ledger.ts';
import type { Instant } from '../../core/instants.ts';
import { updateInvoicePaid } from '../../sql/postgres/invoices/invoice-changes.ts';
import { insertLedgerTransaction } from '../../sql/postgres/ledger/ledger.ts';
import { insertOutboxEvent } from '../../sql/postgres/outbox.ts';
import { insertPayment } from '../../sql/postgres/payments/payments.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { invoiceToWire } from '../../wire/invoices.ts';

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
  const event = { accountId, subject: `invoice/${invoiceId}`, data: invoiceToWire(after) };
  await insertOutboxEvent(tx, { ...event, type: 'invoice.paid' });
  return after;
}
