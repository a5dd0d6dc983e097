import type { PlannedRefund, Refund } from '../../billing/credits/refunds.ts';
import { decideRefund } from '../../billing/decide/refunds.ts';
import type { IssuedInvoice } from '../../billing/invoices/invoice.ts';
import { listRefundsOfInvoice } from '../../sql/postgres/credits/refunds.ts';
import { loadInvoiceOrigin } from '../../sql/postgres/invoices/invoice-origin.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { chargedOn, recordRefund, recordRefundReplaced, type ToReverse } from '../billing/record-reversals.ts';
import { saveChanges } from '../billing/save-changes.ts';
import { savedId } from '../billing/saved-ids.ts';
import { derivedId } from '../derived-id.ts';

/**
 * The invoice, locked, whose money goes back, and its customer's zone. `toReverse`: what a cancel gives back of it. `inPlaceOf`: the refund that
 * failed. Without either it is asked for by hand.
 */
type ToRefund = {
  accountId: string;
  timeZone: string;
  invoice: IssuedInvoice;
  toReverse?: ToReverse;
  inPlaceOf?: string;
};

/** Saves and publishes a new refund of an invoice that the caller has locked, and returns it. */
export async function saveRefund(
  tx: Transaction,
  { accountId, timeZone, invoice, toReverse, inPlaceOf }: ToRefund,
  planned: PlannedRefund,
): Promise<Refund> {
  const refundId = await refundIdOf(tx, accountId, invoice.invoiceId, planned);
  const { refund, changes } = decideRefund({ refundId, timeZone, invoice }, planned);
  const ids = await saveChanges(tx, accountId, changes);
  if (inPlaceOf !== undefined) await recordRefundReplaced(tx, accountId, inPlaceOf, refundId);
  else await recordRefund(tx, accountId, refund, await chargedOn(tx, accountId, invoice), toReverse ?? null);
  return { ...refund, creditId: refund.creditId && savedId(ids, refund.creditId) };
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
