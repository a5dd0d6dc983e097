import type { PlannedRefund, Refund } from '../../billing/credits/refunds.ts';
import type { IssuedInvoice } from '../../billing/invoices/invoice.ts';
import { postRefundCredited } from '../../billing/ledger/ledger.ts';
import { insertRefund, listRefundsOfInvoice } from '../../sql/postgres/credits/refunds.ts';
import { loadInvoiceOrigin } from '../../sql/postgres/invoices/invoice-origin.ts';
import { insertOutboxEvent } from '../../sql/postgres/outbox.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { refundToWire } from '../../wire/refunds.ts';
import { derivedId } from '../derived-id.ts';
import { saveOverpaymentCredit } from './save-credit.ts';

/** The invoice, locked, whose money goes back, and its customer's zone. */
export type Refunded = { accountId: string; timeZone: string; invoice: IssuedInvoice };

/** Saves a new refund and tells of it; one by store credit with its credit (spec/credits#refunds: it "makes an overpayment credit"). */
export async function saveRefund(
  tx: Transaction,
  { accountId, timeZone, invoice }: Refunded,
  planned: PlannedRefund,
): Promise<Refund> {
  const refundId = await refundIdOf(tx, accountId, invoice.invoiceId, planned);
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

/**
 * The id by which a processor sends money back once. It is of what is given back, and of how many refunds came before: where
 * Postgres is restored from before a refund, the one that is made in its place finds what the processor has sent.
 */
async function refundIdOf(tx: Transaction, accountId: string, invoiceId: string, { amount }: PlannedRefund) {
  const origin = await loadInvoiceOrigin(tx, accountId, invoiceId);
  const earlier = await listRefundsOfInvoice(tx, accountId, invoiceId);
  return derivedId('refund', [accountId, origin, amount.toFixed(), String(earlier.length)]);
}
