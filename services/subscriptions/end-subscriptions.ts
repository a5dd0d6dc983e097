import { nextSubscriptionStatus } from '../../billing/subscriptions/states.ts';
import type { Subscription } from '../../billing/subscriptions/subscription.ts';
import type { Instant } from '../../core/instants.ts';
import { clearSteps } from '../../sql/postgres/due-steps.ts';
import { insertOutboxEvent } from '../../sql/postgres/outbox.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { updatePeriodClosed } from '../../sql/postgres/subscriptions/periods.ts';
import {
  findSubscription,
  lockSubscription,
  updateLaterBillsCleared,
  updateSubscription,
} from '../../sql/postgres/subscriptions/subscriptions.ts';
import { subscriptionToWire } from '../../wire/subscriptions.ts';
import type { Stores } from '../usage/answered-usage.ts';
import { loadSubscriptionRecords } from './subscription-records.ts';

/**
 * Ends live subscriptions at `at` (the customer's time) without an invoice: their open periods are closed, so that a closing
 * under way makes none either, nothing falls due any more, and `subscription.canceled` is published for each (spec/customers#deletion).
 * One that has ended since it was read stays as it is.
 */
export async function endSubscriptions(
  stores: Stores,
  accountId: string,
  subscriptionIds: readonly string[],
  at: Instant,
): Promise<void> {
  const { tx } = stores;
  const ended: Subscription[] = [];
  for (const id of subscriptionIds) ended.push(...(await endOne(tx, accountId, id, at)));
  for (const record of await loadSubscriptionRecords(stores, accountId, ended)) {
    const subject = subjectOf(record.subscriptionId);
    const data = subscriptionToWire(record);
    await insertOutboxEvent(tx, { accountId, type: 'subscription.canceled', subject, data });
  }
}

async function endOne(tx: Transaction, accountId: string, id: string, at: Instant): Promise<Subscription[]> {
  await lockSubscription(tx, accountId, id);
  const live = await findSubscription(tx, accountId, id);
  if (!live) throw new Error(`subscription ${id} is missing`);
  if (live.status === 'canceled' || live.status === 'expired') return [];
  const status = nextSubscriptionStatus(live.status, 'cancel');
  const stopped = { pausedAt: null, resumesAt: null, billsAt: null, pendingChange: null, switchAt: null };
  const ended: Subscription = { ...live, ...stopped, status, canceledAt: at, cancelReason: 'canceled' };
  await updateSubscription(tx, accountId, ended);
  await updatePeriodClosed(tx, accountId, id, live.currentPeriod.index, at);
  await clearSteps(tx, { accountId, subject: subjectOf(id) });
  return [ended];
}

const subjectOf = (subscriptionId: string) => `subscription/${subscriptionId}`;

/** What canceled subscriptions of a customer left to be invoiced later never will be: it is deleted (spec/customers#deletion). */
export async function clearLaterBills(tx: Transaction, accountId: string, customerId: string): Promise<void> {
  const subscriptionIds = await updateLaterBillsCleared(tx, accountId, customerId);
  for (const id of subscriptionIds) await clearSteps(tx, { accountId, subject: subjectOf(id) });
}
