import type { NewPaymentReceived } from '../../../billing/change-set.ts';
import { isoFromInstant } from '../../../core/instants.ts';
import { stringifyExactJson } from '../../../runtime/exact-json.ts';
import type { Transaction } from '../postgres.ts';

/** Stores money received for invoices. */
export async function insertPayments(
  tx: Transaction,
  accountId: string,
  payments: readonly NewPaymentReceived[],
): Promise<void> {
  if (payments.length === 0) return;
  const rows = payments.map(({ invoiceId, payment, at }) => ({
    payment_id: payment.paymentId,
    invoice_id: invoiceId,
    method: payment.method,
    amount: payment.amount,
    reference: payment.reference,
    paid_at: isoFromInstant(payment.paidAt),
    created_at: isoFromInstant(at),
  }));
  await tx.query(
    `INSERT INTO payments (account_id, payment_id, invoice_id, method, amount, reference, paid_at, created_at)
     SELECT $1, p.* FROM jsonb_to_recordset($2) AS p (payment_id text, invoice_id text, method text, amount numeric,
       reference text, paid_at timestamptz, created_at timestamptz)`,
    [accountId, stringifyExactJson(rows)],
  );
}
