import { decidePhases } from '../../../billing/decide/phases.ts';
import { dateIn } from '../../../billing/periods/periods.ts';
import { datePlanned } from '../../../billing/subscriptions/cancel.ts';
import { isLive } from '../../../billing/subscriptions/states.ts';
import { conflict } from '../../../core/domain-error.ts';
import type { Instant } from '../../../core/instants.ts';
import { loadAccount } from '../../../sql/postgres/accounts/accounts.ts';
import { loadPlan } from '../../../sql/postgres/catalog/plans.ts';
import { insertOutboxEvent, SUBSCRIPTION_MOVED } from '../../../sql/postgres/outbox.ts';
import type { PhaseInput } from '../../../wire/subscriptions/phases.ts';
import { type SubscriptionWire, subscriptionToWire } from '../../../wire/subscriptions.ts';
import { type Audited, changed } from '../../audit/audited.ts';
import { saveChanges } from '../../billing/save-changes.ts';
import type { SubscriptionRef } from '../../references.ts';
import type { Stores } from '../../usage/answered-usage.ts';
import { lockSubscriptionForUpdate } from '../lock-subscription.ts';
import { planNext } from '../move-subscription.ts';
import { loadSubscriptionRecord } from '../subscription-records.ts';
import { agreePhases } from './phases.ts';

/**
 * Puts phases in the place of those of a subscription that are still to come.
 * @throws DomainError as `agreePhases`; `conflict` where it has ended, where a switch is planned that is no phase, and while its test clock
 * advances.
 */
export async function replacePhases(
  { tx, usage }: Stores,
  { accountId, subscriptionId }: SubscriptionRef,
  sent: readonly PhaseInput[],
  now: Instant,
): Promise<Audited<SubscriptionWire>> {
  const { subscription, customer, at } = await lockSubscriptionForUpdate(tx, accountId, subscriptionId, now);
  const { status, currentPeriod, plannedSwitch, plannedCancel } = subscription;
  if (!isLive(status)) throw conflict(`The subscription is ${status}: it has no phases to come.`);
  if (plannedSwitch && !plannedSwitch.phase) throw conflict('A switch is planned; withdraw it first.');
  const endsOn = plannedCancel && datePlanned(plannedCancel.at, currentPeriod, customer.timeZone);
  const plan = await loadPlan(tx, accountId, subscription);
  const phases = await agreePhases(tx, accountId, sent, { plan, today: dateIn(currentPeriod, at), at, endsOn });
  const withdrawn = { ...subscription, plannedSwitch: null, phases };
  const { subscription: updated, changes } = decidePhases(withdrawn, customer.timeZone);
  await saveChanges(tx, accountId, plannedSwitch ? { ...changes, subscriptionsChanged: [updated] } : changes);
  await planNext(tx, { account: await loadAccount(tx, accountId), customer }, [subscriptionId]);
  await insertOutboxEvent(tx, {
    ...{ accountId, type: SUBSCRIPTION_MOVED, subject: `subscription/${subscriptionId}`, data: {} },
  });
  const record = await loadSubscriptionRecord({ tx, usage }, accountId, updated);
  return changed(subscriptionToWire({ ...record, ...subscription }), subscriptionToWire(record));
}
