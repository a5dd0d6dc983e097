import { type PaidEnd, type ProrationCredits, prorationCreditsAt } from '../../billing/credits/proration-credits.ts';
import { isChargedAhead, isFeeOf } from '../../billing/invoices/charged-ahead.ts';
import type { NewInvoiceLine } from '../../billing/invoices/invoice.ts';
import { holdersOf } from '../../billing/periods/segments.ts';
import type { Instant } from '../../core/instants.ts';
import { listPendingItems } from '../../sql/postgres/invoices/pending-items.ts';
import { lockChargedFees } from '../../sql/postgres/invoices/refundable-charges.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { lockCharged, lockCreditsOfCharged } from '../invoices/lock-charged.ts';
import { lockWaiting } from '../invoices/lock-waiting.ts';

/**
 * What the end of a period that was paid ahead gives back, in the transaction that gives it: the invoices that have charged
 * it are locked, all of them before anything of the customer's is.
 */
export async function lockProrationCredits(
  tx: Transaction,
  accountId: string,
  end: PaidEnd,
  now: Instant,
): Promise<ProrationCredits> {
  const { customer, boundary } = end;
  const { ended } = boundary;
  if (ended === null || ended.trial || !isChargedAhead(boundary)) return { given: [], waived: null };
  const { customerId } = customer;
  const paid = { holders: holdersOf(ended.segments), period: ended.billing };
  const isOf = (line: NewInvoiceLine) => isFeeOf(line, paid);
  const pending = await listPendingItems(tx, accountId, customerId, { lock: false });
  const charged = await lockCharged(tx, { accountId, customer, now, isOf }, () =>
    lockChargedFees(tx, accountId, customerId, paid),
  );
  await lockCreditsOfCharged(tx, accountId, customer, charged);
  await lockWaiting(tx, accountId, customer, pending, isOf);
  return prorationCreditsAt(end, { charged, pending: pending.lines });
}
