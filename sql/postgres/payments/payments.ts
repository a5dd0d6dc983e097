import type { Payment } from '../../../billing/invoices/invoice.ts';
import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import type { Transaction } from '../postgres.ts';

/** Stores money received for an invoice; `createdAt` is the customer's time. */
export async function insertPayment(
  tx: Transaction,
  accountId: string,
  invoiceId: string,
  payment: Payment,
  createdAt: Instant,
): Promise<void> {
  await tx.query(
    `INSERT INTO payments (account_id, payment_id, invoice_id, method, amount, reference, paid_at, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      accountId,
      payment.paymentId,
      invoiceId,
      payment.method,
      payment.amount.toFixed(),
      payment.reference,
      isoFromInstant(payment.paidAt),
      isoFromInstant(createdAt),
    ],
  );
}
