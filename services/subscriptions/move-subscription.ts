import type { Account } from '../../billing/accounts/account.ts';
import { decideEnd, type End } from '../../billing/decide/end-subscription.ts';
import { decideNextSteps } from '../../billing/decide/next-steps.ts';
import type { Customer, Subscription } from '../../billing/subscriptions/subscription.ts';
import { loadAccount } from '../../sql/postgres/accounts/accounts.ts';
import { loadCustomer } from '../../sql/postgres/customers/customers.ts';
import { insertOutboxEvent, insertOutboxEvents } from '../../sql/postgres/outbox.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { findSchedules } from '../../sql/postgres/subscriptions/schedules.ts';
import { findSubscription } from '../../sql/postgres/subscriptions/subscriptions.ts';
import { type SubscriptionWire, subscriptionToWire } from '../../wire/subscriptions.ts';
import { saveChanges } from '../billing/save-changes.ts';
import type { Stores } from '../usage/answered-usage.ts';
import { loadSubscriptionRecord, loadSubscriptionRecords } from './subscription-records.ts';

/** A subscription, locked, with whose it is. */
export type SubscriptionSnapshot = { account: Account; customer: Customer; subscription: Subscription };

/** The subscription with its account and customer. */
export async function loadSubscriptionSnapshot(
  tx: Transaction,
  accountId: string,
  subscriptionId: string,
): Promise<SubscriptionSnapshot> {
  const subscription = await findSubscription(tx, accountId, subscriptionId);
  if (!subscription) throw new Error(`subscription ${subscriptionId} is missing`);
  const customer = await loadCustomer(tx, accountId, subscription.customerId);
  return { subscription, customer, account: await loadAccount(tx, accountId) };
}

/**
 * Plans what comes next for subscriptions of a customer who lives on a test clock, by the records as they now are: in real time
 * their workflows read that themselves.
 */
export async function planNext(
  tx: Transaction,
  { account: { accountId }, customer: { testClockId } }: Pick<SubscriptionSnapshot, 'account' | 'customer'>,
  subscriptionIds: readonly string[],
): Promise<void> {
  if (testClockId === null) return;
  const schedules = await findSchedules(tx, accountId, subscriptionIds);
  await saveChanges(tx, accountId, decideNextSteps(testClockId, schedules));
}

type LifeEvent =
  | 'subscription.activated'
  | 'subscription.trial_will_end'
  | 'subscription.trial_ended'
  | 'subscription.renewed'
  | 'subscription.paused'
  | 'subscription.resumed'
  | 'subscription.plan_changed'
  | 'subscription.canceled';

/** Publishes what has happened to subscriptions of an account, with their records as they now are; returns those, in order. */
export async function publishAll(
  stores: Stores,
  accountId: string,
  subscriptions: Subscription[],
  type: LifeEvent,
): Promise<SubscriptionWire[]> {
  const records = (await loadSubscriptionRecords(stores, accountId, subscriptions)).map(subscriptionToWire);
  const events = records.map((data) => ({ type, subject: `subscription/${data.subscription_id}`, data }));
  await insertOutboxEvents(stores.tx, accountId, events);
  return records;
}

/** Publishes what has happened, with the record as it now is; returns that. */
export async function publish(
  stores: Stores,
  snapshot: SubscriptionSnapshot,
  type: LifeEvent,
): Promise<SubscriptionWire> {
  const data = await recordOf(stores, snapshot);
  const { accountId } = snapshot.account;
  const subject = `subscription/${snapshot.subscription.subscriptionId}`;
  await insertOutboxEvent(stores.tx, { accountId, type, subject, data });
  return data;
}

/** The record as the API returns it. */
export async function recordOf(
  stores: Stores,
  { account, subscription }: SubscriptionSnapshot,
): Promise<SubscriptionWire> {
  return subscriptionToWire(await loadSubscriptionRecord(stores, account.accountId, subscription));
}

/** Ends the subscription: canceled, or expired where it does not renew; publishes that (spec/subscriptions#cancel). */
export async function endSubscription(
  stores: Stores,
  snapshot: SubscriptionSnapshot,
  end: End,
): Promise<SubscriptionWire> {
  const { subscription, changes } = decideEnd(snapshot.subscription, end);
  const now = { ...snapshot, subscription };
  await saveChanges(stores.tx, snapshot.account.accountId, changes);
  await planNext(stores.tx, now, [subscription.subscriptionId]);
  return publish(stores, now, 'subscription.canceled');
}
