import { boundaryAddons } from '../../billing/invoices/boundary-charges.ts';
import type { Period } from '../../billing/periods/periods.ts';
import type { AddonCharge } from '../../billing/pricing/charges.ts';
import { nextPeriod, plannedEnding } from '../../billing/subscriptions/closing-boundaries.ts';
import { nextSubscriptionStatus } from '../../billing/subscriptions/states.ts';
import type { Subscription } from '../../billing/subscriptions/subscription.ts';
import type { SwitchTerms } from '../../billing/subscriptions/switch.ts';
import type { Instant } from '../../core/instants.ts';
import { loadPlan } from '../../sql/postgres/catalog/plans.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { listChargeableAddons, updateAddonsBilled } from '../../sql/postgres/subscriptions/addon-subscriptions.ts';
import { listPauses } from '../../sql/postgres/subscriptions/pauses.ts';
import { updatePeriodEnded, updateWaitingDue } from '../../sql/postgres/subscriptions/pending-invoices.ts';
import { insertPeriod } from '../../sql/postgres/subscriptions/periods.ts';
import { lockSubscription, updateSubscription } from '../../sql/postgres/subscriptions/subscriptions.ts';
import type { SubscriptionRef } from '../references.ts';
import type { Stores } from '../usage/answered-usage.ts';
import { findPlannedSwitch } from './load-switch.ts';
import {
  endSubscription,
  loadSubscriptionSnapshot,
  planNext,
  publish,
  type SubscriptionSnapshot,
} from './move-subscription.ts';
import { replaceSubscription } from './replace.ts';

/**
 * The current period is over: the next one begins at once, or the subscription ends, as planned; its invoice is pending until
 * the account's grace is over, or where it ended in a pause until the resume (spec/invoices#grace). `now` is the customer's time.
 * Does nothing where the period is over already.
 */
export async function endPeriod(
  stores: Stores,
  { accountId, subscriptionId, periodIndex }: SubscriptionRef & { periodIndex: number },
  now: Instant,
): Promise<void> {
  const { tx } = stores;
  await lockSubscription(tx, accountId, subscriptionId);
  const snapshot = await loadSubscriptionSnapshot(tx, accountId, subscriptionId);
  const { subscription, customer, account } = snapshot;
  const { status, currentPeriod } = subscription;
  const ending = plannedEnding(subscription);
  const next = nextPeriod(subscription, customer, ending);
  const isPaused = status === 'paused';
  const dueAt = currentPeriod.endsAt + account.invoiceGraceSeconds * 1000;
  const switched = ending || isPaused ? null : await findSwitchAtEnd(tx, snapshot);
  const addons = isPaused ? null : await addonsOf(tx, snapshot, switched ? null : next);
  const invoiceDueAt = isPaused && next !== null ? null : dueAt;
  const period = { subscriptionId, periodIndex };
  if (!(await updatePeriodEnded(tx, accountId, period, { closedAt: now, invoiceDueAt, addons }))) return;
  if (addons) await updateAddonsBilled(tx, accountId, addons);
  if (isPaused && next === null) await updateWaitingDue(tx, accountId, subscriptionId, dueAt);

  if (switched) {
    const parties = await replaceSubscription(tx, snapshot, { ...switched, at: currentPeriod.endsAt });
    await publish(stores, { ...snapshot, subscription: parties.next }, 'subscription.plan_changed');
  } else if (next === null) {
    await endSubscription(stores, snapshot, { trigger: ending ? 'cancel' : 'expire', at: currentPeriod.endsAt });
  } else {
    await beginNext(stores, { ...snapshot, subscription: { ...subscription, currentPeriod: next } });
  }
}

/** The switch planned for the end of the period; null for none. */
async function findSwitchAtEnd(tx: Transaction, snapshot: SubscriptionSnapshot): Promise<SwitchTerms | null> {
  const { status, plannedSwitch, currentPeriod } = snapshot.subscription;
  if (status !== 'active' || plannedSwitch?.at !== currentPeriod.endsAt) return null;
  return findPlannedSwitch(tx, snapshot.account.accountId, snapshot);
}

/** What the pending invoice charges for add-ons: what is attached or canceled from now on is of the next period. */
async function addonsOf(
  tx: Transaction,
  { account: { accountId }, subscription }: SubscriptionSnapshot,
  next: Period | null,
): Promise<AddonCharge[]> {
  const { subscriptionId, currentPeriod: ended } = subscription;
  const addons = await listChargeableAddons(tx, accountId, subscriptionId);
  if (addons.length === 0) return [];
  const plan = await loadPlan(tx, accountId, subscription);
  const pauses = await listPauses(tx, accountId, subscriptionId);
  return boundaryAddons({ subscriptionId, plan, ended, next, addons, pauses });
}

/** One that is paused goes on so, and of that nothing is published (spec/subscriptions#pause). */
async function beginNext(stores: Stores, snapshot: SubscriptionSnapshot): Promise<void> {
  const { tx } = stores;
  const { account, subscription } = snapshot;
  const { plannedSwitch, currentPeriod, subscriptionId } = subscription;
  await insertPeriod(tx, account.accountId, subscriptionId, currentPeriod);
  if (subscription.status === 'paused') return planNext(tx, snapshot, currentPeriod);
  const status = nextSubscriptionStatus(subscription.status, 'renew');
  // A switch that could not be made at the end of the period before is dropped.
  const isDropped = plannedSwitch !== null && plannedSwitch.at <= currentPeriod.startsAt;
  const renewed: Subscription = { ...subscription, status, plannedSwitch: isDropped ? null : plannedSwitch };
  if (isDropped) await updateSubscription(tx, account.accountId, renewed);
  await planNext(tx, { ...snapshot, subscription: renewed }, currentPeriod);
  await publish(stores, { ...snapshot, subscription: renewed }, 'subscription.renewed');
}
