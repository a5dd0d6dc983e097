import type { PlannedRefund, Refund } from '../../billing/credits/refunds.ts';
import type { IssuedInvoice } from '../../billing/invoices/invoice.ts';
import { postRefundCredited } from '../../billing/ledger/ledger.ts';
import { newId } from '../../core/ids.ts';
import { insertRefund } from '../../sql/postgres/credits/refunds.ts';
import { insertOutboxEvent } from '../../sql/postgres/outbox.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { refundToWire } from '../../wire/refunds.ts';
import { saveOverpaymentCredit } from './save-credit.ts';

/** The invoice, locked, whose money goes back, and its customer's zone. */
export type Refunded = { accountId: string; timeZone: string; invoice: IssuedInvoice };

/** Saves a new refund and tells of it; one by store credit with its credit (spec/credits#refunds: it "makes an overpayment credit"). */
export async function saveRefund(
  tx: Transaction,
  { accountId, timeZone, invoice }: Refunded,
  planned: PlannedRefund,
): Promise<Refund> {
  const refundId = newId('refund');
  const { customerId, amount, currency, createdAt: at } = planned;
  const description = planned.description ?? `Refund of invoice ${invoice.invoiceNumber}`;
  const of = { customerId, amount, currency, description, at, posting: postRefundCredited(amount) };
  const origin = { accountId, timeZone, invoiceId: invoice.invoiceId, refundId };
  const credit = planned.method === 'store_credit' ? await saveOverpaymentCredit(tx, of, origin) : null;
  const refund = { ...planned, refundId, creditId: credit?.creditId ?? null };
  await insertRefund(tx, accountId, refund);
  const event = { accountId, subject: `refund/${refundId}`, data: refundToWire(refund) };
  await insertOutboxEvent(tx, { ...event, type: 'refund.created' });
  if (refund.status === 'succeeded') await insertOutboxEvent(tx, { ...event, type: 'refund.succeeded' });
  return refund;
}
