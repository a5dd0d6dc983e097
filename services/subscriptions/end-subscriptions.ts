import { decideEndOfAll, decideNothingLeft } from '../../billing/decide/end-subscription.ts';
import type { Subscription } from '../../billing/subscriptions/subscription.ts';
import type { Instant } from '../../core/instants.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import {
  listBillableIds,
  listLiveSubscriptions,
  lockSubscriptions,
} from '../../sql/postgres/subscriptions/subscriptions.ts';
import { saveChanges } from '../billing/save-changes.ts';
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
  const all: Subscription[] = [];
  // Created before the customer was locked, and after the others were: once more.
  for (let live = await listLive(); live.length > 0; live = await listLive()) {
    const ids = live.map(({ subscriptionId }) => subscriptionId);
    // In the order in which closings lock several, so that neither waits for the other for ever.
    await lockSubscriptions(tx, accountId, ids);
    const locked = (await listLive()).filter(({ subscriptionId }) => ids.includes(subscriptionId));
    const { ended, changes } = decideEndOfAll(locked, at);
    await saveChanges(tx, accountId, changes);
    all.push(...ended);
  }
  await publishAll(stores, accountId, all, 'subscription.canceled');
  const left = await listBillableIds(tx, accountId, customerId);
  await saveChanges(tx, accountId, decideNothingLeft(customerId, left));

  function listLive(): Promise<Subscription[]> {
    return listLiveSubscriptions(tx, accountId, [customerId]);
  }
}
