import type { Instant } from '../../billing/instants.ts';
import type { SubscriptionCourse } from '../../billing/next-boundary.ts';
import { nextSubscriptionStatus } from '../../billing/states.ts';
import { loadAccount } from '../../sql/accounts.ts';
import { inTransactionWithUsage, type Stores } from '../../sql/answered-usage.ts';
import { loadCustomer } from '../../sql/customers.ts';
import { issueOpeningInvoice } from '../../sql/issue-opening-invoice.ts';
import { findSubscription, lockSubscription, updateSubscription } from '../../sql/subscriptions.ts';
import type { PeriodRef } from '../definitions/messages.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { isStillDue, loadSubscriptionCourse } from './load-subscription-course.ts';
import { planNext, tell } from './move-subscription.ts';

/** Pending becomes active at the local midnight of its start date (spec/customers#record). */
export async function activateSubscription(
  dependencies: Pick<ActivityDependencies, 'postgres' | 'clickhouse' | 'clock'>,
  period: PeriodRef,
): Promise<SubscriptionCourse> {
  const course = await loadSubscriptionCourse(dependencies, period);
  const now = course.clockTime ?? dependencies.clock.now();
  if (!isStillDue(course, 'activate', period, now)) return course;
  await inTransactionWithUsage(dependencies, period.accountId, (stores) => activate(stores, period, now));
  return loadSubscriptionCourse(dependencies, period);
}

async function activate(stores: Stores, { accountId, subscriptionId }: PeriodRef, now: Instant): Promise<void> {
  const { tx } = stores;
  await lockSubscription(tx, accountId, subscriptionId);
  const pending = await findSubscription(tx, accountId, subscriptionId);
  if (pending?.status !== 'pending') return;
  const active = { ...pending, status: nextSubscriptionStatus(pending.status, 'activate') };
  await updateSubscription(tx, accountId, active);

  const customer = await loadCustomer(tx, accountId, active.customerId);
  const account = await loadAccount(tx, accountId);
  const held = { account, customer, subscription: active };
  await planNext(tx, held, active.currentPeriod);

  await tell(stores, held, 'subscription.activated');
  await issueOpeningInvoice(tx, { account, customer, subscription: active, now });
}
