import { isLive } from '../../billing/subscriptions/states.ts';
import { conflict } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import { updateSubscription as saveSubscription } from '../../sql/postgres/subscriptions/subscriptions.ts';
import { type SubscriptionUpdate, type SubscriptionWire, subscriptionToWire } from '../../wire/subscriptions.ts';
import { type Audited, changed } from '../audit/audited.ts';
import type { SubscriptionRef } from '../references.ts';
import type { Stores } from '../usage/answered-usage.ts';
import { lockSubscriptionForUpdate } from './lock-subscription.ts';
import { loadSubscriptionRecord } from './subscription-records.ts';

/**
 * Changes whether a subscription renews, or its metadata.
 * @throws DomainError `not_found`; `conflict` where it has ended, and while its test clock advances.
 */
export async function updateSubscription(
  { tx, usage }: Stores,
  { accountId, subscriptionId }: SubscriptionRef,
  changes: SubscriptionUpdate,
  now: Instant,
): Promise<Audited<SubscriptionWire>> {
  const { subscription } = await lockSubscriptionForUpdate(tx, accountId, subscriptionId, now);
  const { autoRenew, metadata, status } = subscription;
  if (changes.auto_renew !== undefined && changes.auto_renew !== autoRenew && !isLive(status)) {
    throw conflict(`The subscription is ${status}: whether it renews cannot be changed.`);
  }
  const updated = {
    ...subscription,
    autoRenew: changes.auto_renew ?? autoRenew,
    metadata: changes.metadata ?? metadata,
  };
  await saveSubscription(tx, accountId, updated);
  const record = await loadSubscriptionRecord({ tx, usage }, accountId, updated);
  return changed(subscriptionToWire({ ...record, ...subscription }), subscriptionToWire(record));
}
