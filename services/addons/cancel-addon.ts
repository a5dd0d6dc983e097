import { notFound } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { findAttachedAddon } from '../../sql/postgres/subscriptions/addon-subscriptions.ts';
import { type AddonCancel, addonSubscriptionToWire } from '../../wire/addons.ts';
import { changed } from '../audit/audited.ts';
import { saveChanges } from '../billing/save-changes.ts';
import type { SubscriptionRef } from '../references.ts';
import { lockSubscriptionForUpdate } from '../subscriptions/lock-subscription.ts';
import { assertAddonsMayChange, lastChargedPeriod } from './addon-rules.ts';

/**
 * Cancels an attached add-on: it is not charged from the next period on.
 * @throws DomainError `not_found`; `conflict` by the state of the subscription.
 */
export async function cancelAddon(
  tx: Transaction,
  { accountId, subscriptionId }: SubscriptionRef,
  { addon_id: addonId }: AddonCancel,
  now: Instant,
) {
  const locked = await lockSubscriptionForUpdate(tx, accountId, subscriptionId, now);
  const attached = await findAttachedAddon(tx, accountId, subscriptionId, addonId);
  if (!attached) throw notFound(`add-on ${addonId} on this subscription`);
  assertAddonsMayChange(locked.subscription);
  const { addonSubscriptionId } = attached;
  const canceled = { addonSubscriptionId, at: locked.at, periodIndex: lastChargedPeriod(locked) };
  await saveChanges(tx, accountId, { addonsCanceled: [canceled] });
  const answer = addonSubscriptionToWire({ ...attached, status: 'canceled' });
  return { ...changed(addonSubscriptionToWire(attached), answer), customerId: locked.customer.customerId };
}
