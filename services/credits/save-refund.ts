import type { PlannedRefund, Refund } from '../../billing/credits/refunds.ts';
import { decideCredit, type GivenCredit, OVERPAYMENT } from '../../billing/decide/credits.ts';
import type { IssuedInvoice } from '../../billing/invoices/invoice.ts';
import { postRefundCredited } from '../../billing/ledger/ledger.ts';
import { insertRefund, listRefundsOfInvoice } from '../../sql/postgres/credits/refunds.ts';
import { loadInvoiceOrigin } from '../../sql/postgres/invoices/invoice-origin.ts';
import { insertOutboxEvent } from '../../sql/postgres/outbox.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { refundToWire } from '../../wire/refunds.ts';
import { saveChanges } from '../billing/save-changes.ts';
import { savedId } from '../billing/saved-ids.ts';
import { derivedId } from '../derived-id.ts';

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
  const of = { ...OVERPAYMENT, customerId, amount, currency, description };
  const given = { ...of, posting: postRefundCredited(amount), invoiceId: invoice.invoiceId, refundId };
  const isCredited = planned.method === 'store_credit';
  const creditId = isCredited ? await saveGiven(tx, accountId, decideCredit(given, { at, timeZone })) : null;
  const refund = { ...planned, refundId, creditId };
  await insertRefund(tx, accountId, refund);
  const event = { accountId, subject: `refund/${refundId}`, data: refundToWire(refund) };
  await insertOutboxEvent(tx, { ...event, type: 'refund.created' });
  if (refund.status === 'succeeded') await insertOutboxEvent(tx, { ...event, type: 'refund.succeeded' });
  return refund;
}

/** Saves a credit, and returns its id. */
async function saveGiven(tx: Transaction, accountId: string, { credit, changes }: GivenCredit): Promise<string> {
  return savedId(await saveChanges(tx, accountId, changes), credit.creditId);
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
