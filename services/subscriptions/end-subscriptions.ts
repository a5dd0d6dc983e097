import { nextSubscriptionStatus } from '../../billing/subscriptions/states.ts';
import type { Subscription } from '../../billing/subscriptions/subscription.ts';
import type { Instant } from '../../core/instants.ts';
import { deleteSteps } from '../../sql/postgres/due-steps.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { updatePendingInvoicesCleared } from '../../sql/postgres/subscriptions/pending-invoices.ts';
import { updatePeriodClosed } from '../../sql/postgres/subscriptions/periods.ts';
import {
  findSubscription,
  listBillableIds,
  listLiveSubscriptions,
  lockSubscriptions,
  updateLaterBillsCleared,
  updateSubscription,
} from '../../sql/postgres/subscriptions/subscriptions.ts';
import type { Stores } from '../usage/answered-usage.ts';
import { publishAll } from './move-subscription.ts';

/**
 * Locks all of a customer's subscriptions that may still be billed, before the customer: whoever bills one locks it first, and then who pays,
 * where that has a section of it. What is created meanwhile has no section yet.
 */
export async function lockAllSubscriptions(tx: Transaction, accountId: string, customerId: string): Promise<void> {
  const locked = new Set<string>();
  // A switch that came first has left a successor.
  for (;;) {
    const ids = await listBillableIds(tx, accountId, customerId);
    if (ids.every((id) => locked.has(id))) return;
    await lockSubscriptions(tx, accountId, ids);
    for (const id of ids) locked.add(id);
  }
}

/**
 * Ends all that a customer has at `at` (its own time) without an invoice: the open periods are closed, so that a closing under
 * way makes none either, nothing falls due any more, what was left to be invoiced later never will be, and
 * `subscription.canceled` is published for each (spec/customers#deletion). The customer is locked, so that none is created
 * meanwhile.
 */
export async function endAllSubscriptions(
  stores: Stores,
  accountId: string,
  customerId: string,
  at: Instant,
): Promise<void> {
  const { tx } = stores;
  const ended: Subscription[] = [];
  // Created before the customer was locked, and after the others were: once more.
  for (let live = await listLive(); live.length > 0; live = await listLive()) {
    const ids = live.map(({ subscriptionId }) => subscriptionId);
    // In the order in which closings lock several, so that neither waits for the other for ever.
    await lockSubscriptions(tx, accountId, ids);
    for (const subscriptionId of ids) ended.push(...(await endOne(tx, accountId, subscriptionId, at)));
  }
  await publishAll(stores, accountId, ended, 'subscription.canceled');
  const later = await updateLaterBillsCleared(tx, accountId, customerId);
  const pending = await updatePendingInvoicesCleared(tx, accountId, customerId);
  await deleteSteps(tx, accountId, [...later, ...pending].map(subjectOf));

  function listLive(): Promise<Subscription[]> {
    return listLiveSubscriptions(tx, accountId, [customerId]);
  }
}

/** One that has ended since it was read stays as it is. */
async function endOne(tx: Transaction, accountId: string, id: string, at: Instant): Promise<Subscription[]> {
  const live = await findSubscription(tx, accountId, id);
  if (!live) throw new Error(`subscription ${id} is missing`);
  if (live.status === 'canceled' || live.status === 'expired') return [];
  const status = nextSubscriptionStatus(live.status, 'cancel');
  const stopped = { paused: null, billsAt: null, plannedSwitch: null, phases: [] };
  const ended: Subscription = { ...live, ...stopped, status, ended: { at, reason: 'canceled' } };
  await updateSubscription(tx, accountId, ended);
  await updatePeriodClosed(tx, accountId, id, live.currentPeriod.index, at);
  await deleteSteps(tx, accountId, [subjectOf(id)]);
  return [ended];
}

const subjectOf = (subscriptionId: string) => `subscription/${subscriptionId}`;
