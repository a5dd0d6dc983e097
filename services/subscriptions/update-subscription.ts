import { isLive } from '../../billing/subscriptions/states.ts';
import { withTrialEnd } from '../../billing/subscriptions/trial-end.ts';
import { conflict } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import { loadAccount } from '../../sql/postgres/accounts/accounts.ts';
import { insertOutboxEvent, SUBSCRIPTION_MOVED } from '../../sql/postgres/outbox.ts';
import { type SubscriptionUpdate, type SubscriptionWire, subscriptionToWire } from '../../wire/subscriptions.ts';
import { type Audited, changed } from '../audit/audited.ts';
import { saveChanges } from '../billing/save-changes.ts';
import type { SubscriptionRef } from '../references.ts';
import type { Stores } from '../usage/answered-usage.ts';
import { lockSubscriptionForUpdate } from './lock-subscription.ts';
import { planNext } from './move-subscription.ts';
import { loadSubscriptionRecord } from './subscription-records.ts';

/**
 * Changes whether a subscription renews, when its trial ends, or its metadata.
 * @throws DomainError `not_found`; `invalid` for a trial that would end by today; `conflict` where it, or its trial, has ended, and while its test clock advances.
 */
export async function updateSubscription(
  { tx, usage }: Stores,
  { accountId, subscriptionId }: SubscriptionRef,
  changes: SubscriptionUpdate,
  now: Instant,
): Promise<Audited<SubscriptionWire>> {
  const { subscription, customer, at } = await lockSubscriptionForUpdate(tx, accountId, subscriptionId, now);
  const { autoRenew, metadata, status } = subscription;
  const endsOn = changes.trial_ends_at;
  if (changes.auto_renew !== undefined && changes.auto_renew !== autoRenew && !isLive(status)) {
    throw conflict(`The subscription is ${status}: whether it renews cannot be changed.`);
  }
  const { timeZone } = customer;
  const updated = {
    ...(endsOn === undefined ? subscription : withTrialEnd(subscription, endsOn, { at, timeZone })),
    autoRenew: changes.auto_renew ?? autoRenew,
    metadata: changes.metadata ?? metadata,
  };
  await saveChanges(tx, accountId, {
    subscriptionsChanged: [updated],
    trialsChanged: endsOn === undefined ? [] : [{ subscriptionId, period: updated.currentPeriod }],
  });
  if (endsOn !== undefined) {
    await planNext(tx, { account: await loadAccount(tx, accountId), customer }, [subscriptionId]);
    const subject = `subscription/${subscriptionId}`;
    await insertOutboxEvent(tx, { accountId, type: SUBSCRIPTION_MOVED, subject, data: {} });
  }
  const record = await loadSubscriptionRecord({ tx, usage }, accountId, updated);
  return changed(subscriptionToWire({ ...record, ...subscription }), subscriptionToWire(record));
}
