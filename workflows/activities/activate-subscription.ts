import { nextBoundary, type SubscriptionCourse } from '../../billing/next-boundary.ts';
import { nextSubscriptionStatus } from '../../billing/states.ts';
import { loadAccount } from '../../sql/accounts.ts';
import { findCustomer } from '../../sql/customers.ts';
import { planBoundary } from '../../sql/due-steps.ts';
import { insertOutboxEvent } from '../../sql/outbox.ts';
import { inTransaction, type Transaction } from '../../sql/postgres.ts';
import { findSubscription, lockSubscription, updateSubscriptionStatus } from '../../sql/subscriptions.ts';
import { subscriptionToWire } from '../../wire/subscriptions.ts';
import type { PeriodRef } from './activities.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { isStillDue, loadSubscriptionCourse } from './load-subscription-course.ts';

/** Pending becomes active at the local midnight of its start date (interface, states and transitions). */
export async function activateSubscription(
  dependencies: Pick<ActivityDependencies, 'postgres' | 'clock'>,
  period: PeriodRef,
): Promise<SubscriptionCourse> {
  const course = await loadSubscriptionCourse(dependencies, period);
  const now = course.clockTime ?? dependencies.clock.now();
  if (!isStillDue(course, 'activate', period, now)) return course;
  await inTransaction(dependencies.postgres, period.accountId, (tx) => activate(tx, period));
  return loadSubscriptionCourse(dependencies, period);
}

async function activate(tx: Transaction, { accountId, subscriptionId }: PeriodRef): Promise<void> {
  await lockSubscription(tx, accountId, subscriptionId);
  const pending = await findSubscription(tx, accountId, subscriptionId);
  if (pending?.status !== 'pending') return;
  const active = { ...pending, status: nextSubscriptionStatus(pending.status, 'activate') };
  await updateSubscriptionStatus(tx, accountId, active);

  const customer = await findCustomer(tx, accountId, active.customerId);
  const { invoiceGraceSeconds } = await loadAccount(tx, accountId);
  const next = nextBoundary({
    status: active.status,
    openPeriod: active.currentPeriod,
    graceSeconds: invoiceGraceSeconds,
  });
  await planBoundary(tx, { accountId, testClockId: customer?.testClockId ?? null, subscriptionId }, next);

  const subject = `subscription/${subscriptionId}`;
  await insertOutboxEvent(tx, { accountId, type: 'subscription.activated', subject, data: subscriptionToWire(active) });
}
