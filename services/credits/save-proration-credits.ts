import type { BoundaryInput } from '../../billing/invoices/boundary-charges.ts';
import { periodIdOfSegments } from '../../billing/settle/charge-keys.ts';
import type { Ending } from '../../billing/subscriptions/cancel.ts';
import type { Instant } from '../../core/instants.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { saveChanges } from '../billing/save-changes.ts';
import type { SubscriptionSnapshot } from '../subscriptions/move-subscription.ts';
import { lockProrationCredits } from './load-proration-credits.ts';
import { saveProrationCredit } from './save-proration-credit.ts';

/**
 * Gives back what was charged ahead for the period that a cancel or a switch ends; before the closing invoice (spec/credits#application).
 * What of that waits for an invoice is taken back by a line that waits beside it.
 */
export async function saveProrationCredits(
  tx: Transaction,
  { account: { accountId }, customer, subscription }: SubscriptionSnapshot,
  { boundary, ending, now }: { boundary: BoundaryInput; ending: Ending; now: Instant },
): Promise<void> {
  const end = { customer, subscription, boundary, ending };
  const { given, waived } = await lockProrationCredits(tx, accountId, end, now);
  const { ended } = boundary;
  if (ended && given.length > 0) {
    const of = { accountId, customer, now, periodId: periodIdOfSegments(ended) };
    for (const one of given) await saveProrationCredit(tx, of, one, ending);
  }
  if (!waived) return;
  const owner = { customerId: customer.customerId, subscriptionId: subscription.subscriptionId };
  await saveChanges(tx, accountId, { pendingAdded: [{ owner, lines: [waived], counts: [] }] });
}
