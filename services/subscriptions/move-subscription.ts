import type { Account } from '../../billing/accounts/account.ts';
import type { Period } from '../../billing/periods/periods.ts';
import { nextBoundary } from '../../billing/periods/schedule.ts';
import { nextSubscriptionStatus } from '../../billing/subscriptions/states.ts';
import type { Customer, Subscription } from '../../billing/subscriptions/subscription.ts';
import type { Instant } from '../../core/instants.ts';
import { planBoundary } from '../../sql/postgres/due-steps.ts';
import { insertOutboxEvent } from '../../sql/postgres/outbox.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { updateSubscription } from '../../sql/postgres/subscriptions/subscriptions.ts';
import { type SubscriptionWire, subscriptionToWire } from '../../wire/subscriptions.ts';
import type { Stores } from '../usage/answered-usage.ts';
import { loadSubscriptionRecord } from './subscription-records.ts';

/** A subscription, locked, with whose it is. */
export type SubscriptionSnapshot = { account: Account; customer: Customer; subscription: Subscription };

/** Plans what comes next for the subscription as it now is; `openPeriod` null once its last one is closed. */
export async function planNext(
  tx: Transaction,
  snapshot: SubscriptionSnapshot,
  openPeriod: Period | null,
): Promise<void> {
  const { account, customer, subscription } = snapshot;
  const { status, cancelAt, switchAt, resumesAt, billsAt, subscriptionId } = subscription;
  const { accountId, invoiceGraceSeconds: graceSeconds } = account;
  const next = nextBoundary({ status, openPeriod, graceSeconds, cancelAt, switchAt, resumesAt, billsAt });
  await planBoundary(tx, { accountId, testClockId: customer.testClockId, subscriptionId }, next);
}

type LifeEvent =
  | 'subscription.activated'
  | 'subscription.renewed'
  | 'subscription.paused'
  | 'subscription.resumed'
  | 'subscription.plan_changed'
  | 'subscription.canceled';

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
  end: { trigger: 'cancel' | 'expire'; at: Instant; billsAt?: Instant | null },
): Promise<SubscriptionWire> {
  const { subscription } = snapshot;
  const ended: Subscription = {
    ...subscription,
    status: nextSubscriptionStatus(subscription.status, end.trigger),
    canceledAt: end.at,
    cancelReason: end.trigger === 'cancel' ? 'canceled' : 'expired',
    pausedAt: null,
    resumesAt: null,
    billsAt: end.billsAt ?? null,
    pendingChange: null,
    switchAt: null,
  };
  const now = { ...snapshot, subscription: ended };
  await updateSubscription(stores.tx, snapshot.account.accountId, ended);
  await planNext(stores.tx, now, null);
  return publish(stores, now, 'subscription.canceled');
}
