import type { PlannedRefund, Refund } from '../../billing/credits/refunds.ts';
import { decideRefund, type Refunded } from '../../billing/decide/refunds.ts';
import { listRefundsOfInvoice } from '../../sql/postgres/credits/refunds.ts';
import { loadInvoiceOrigin } from '../../sql/postgres/invoices/invoice-origin.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { saveChanges } from '../billing/save-changes.ts';
import { savedId } from '../billing/saved-ids.ts';
import { derivedId } from '../derived-id.ts';

/** Saves and publishes a new refund of an invoice that the caller has locked, and returns it. */
export async function saveRefund(
  tx: Transaction,
  { accountId, ...refunded }: Omit<Refunded, 'refundId'> & { accountId: string },
  planned: PlannedRefund,
): Promise<Refund> {
  const refundId = await refundIdOf(tx, accountId, refunded.invoice.invoiceId, planned);
  const { refund, changes } = decideRefund({ ...refunded, refundId }, planned);
  const ids = await saveChanges(tx, accountId, changes);
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
