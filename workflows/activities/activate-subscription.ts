import type { Instant } from '../../billing/instants.ts';
import { nextBoundary, type SubscriptionCourse } from '../../billing/next-boundary.ts';
import { nextSubscriptionStatus } from '../../billing/states.ts';
import { loadAccount } from '../../sql/accounts.ts';
import { loadCustomer } from '../../sql/customers.ts';
import { planBoundary } from '../../sql/due-steps.ts';
import { issueOpeningInvoice } from '../../sql/issue-opening-invoice.ts';
import { insertOutboxEvent } from '../../sql/outbox.ts';
import { inTransaction, type Transaction } from '../../sql/postgres.ts';
import { loadSubscriptionRecord } from '../../sql/subscription-records.ts';
import { findSubscription, lockSubscription, updateSubscriptionStatus } from '../../sql/subscriptions.ts';
import { subscriptionToWire } from '../../wire/subscriptions.ts';
import type { PeriodRef } from './activities.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { isStillDue, loadSubscriptionCourse } from './load-subscription-course.ts';

/** Pending becomes active at the local midnight of its start date (interface, states and transitions). */
export async function activateSubscription(
  dependencies: Pick<ActivityDependencies, 'postgres' | 'clickhouse' | 'clock'>,
  period: PeriodRef,
): Promise<SubscriptionCourse> {
  const course = await loadSubscriptionCourse(dependencies, period);
  const now = course.clockTime ?? dependencies.clock.now();
  if (!isStillDue(course, 'activate', period, now)) return course;
  const { postgres, clickhouse } = dependencies;
  await inTransaction(postgres, period.accountId, (tx) => activate({ tx, clickhouse }, period, now));
  return loadSubscriptionCourse(dependencies, period);
}

type Stores = { tx: Transaction; clickhouse: ActivityDependencies['clickhouse'] };

async function activate(stores: Stores, { accountId, subscriptionId }: PeriodRef, now: Instant): Promise<void> {
  const { tx } = stores;
  await lockSubscription(tx, accountId, subscriptionId);
  const pending = await findSubscription(tx, accountId, subscriptionId);
  if (pending?.status !== 'pending') return;
  const active = { ...pending, status: nextSubscriptionStatus(pending.status, 'activate') };
  await updateSubscriptionStatus(tx, accountId, active);

  const customer = await loadCustomer(tx, accountId, active.customerId);
  const account = await loadAccount(tx, accountId);
  const { status, currentPeriod: openPeriod } = active;
  const next = nextBoundary({ status, openPeriod, graceSeconds: account.invoiceGraceSeconds });
  await planBoundary(tx, { accountId, testClockId: customer.testClockId, subscriptionId }, next);

  const subject = `subscription/${subscriptionId}`;
  const data = subscriptionToWire(await loadSubscriptionRecord(stores, accountId, active));
  await insertOutboxEvent(tx, { accountId, type: 'subscription.activated', subject, data });
  await issueOpeningInvoice(tx, { account, customer, subscription: active, now });
}
