import type { SubscriptionSchedule } from '../../billing/periods/schedule.ts';
import { nextSubscriptionStatus } from '../../billing/subscriptions/states.ts';
import type { Instant } from '../../core/instants.ts';
import { loadAccount } from '../../sql/postgres/accounts/accounts.ts';
import { loadCustomer } from '../../sql/postgres/customers/customers.ts';
import { findSubscription, lockSubscription } from '../../sql/postgres/subscriptions/subscriptions.ts';
import { saveChanges } from '../billing/save-changes.ts';
import type { ServiceDependencies } from '../dependencies.ts';
import { issueOpeningInvoice } from '../invoices/issue-opening-invoice.ts';
import type { PeriodRef } from '../references.ts';
import { inTransactionWithUsage, type Stores } from '../usage/answered-usage.ts';
import { isDueNow, loadSubscriptionSchedule } from './load-schedule.ts';
import { planNext, publish } from './move-subscription.ts';
import { auditSteps, subscriptionChange } from './subscription-change.ts';

/** Pending becomes active at the local midnight of its start date (spec/customers#record). */
export async function activateSubscription(
  dependencies: Pick<ServiceDependencies, 'postgres' | 'clickhouse' | 'limits' | 'rolledUp' | 'clock'>,
  period: PeriodRef,
): Promise<SubscriptionSchedule> {
  const schedule = await loadSubscriptionSchedule(dependencies, period);
  const now = schedule.clockTime ?? dependencies.clock.now();
  if (!isDueNow(schedule, 'activate', period, now)) return schedule;
  await inTransactionWithUsage(dependencies, period.accountId, (stores) => activate(stores, period, now));
  return loadSubscriptionSchedule(dependencies, period);
}

async function activate(stores: Stores, { accountId, subscriptionId }: PeriodRef, now: Instant): Promise<void> {
  const { tx } = stores;
  await lockSubscription(tx, accountId, subscriptionId);
  const pending = await findSubscription(tx, accountId, subscriptionId);
  if (pending?.status !== 'pending') return;
  const active = { ...pending, status: nextSubscriptionStatus(pending.status, 'activate') };
  await saveChanges(tx, accountId, { subscriptionsChanged: [active] });

  const customer = await loadCustomer(tx, accountId, active.customerId);
  const account = await loadAccount(tx, accountId);
  const snapshot = { account, customer, subscription: active };
  await planNext(tx, snapshot, [subscriptionId]);

  const record = await publish(stores, snapshot, 'subscription.activated');
  auditSteps(tx, accountId, 'activated', [subscriptionChange(pending, record)]);
  await issueOpeningInvoice(tx, {
    account,
    customer,
    subscription: active,
    now,
    by: { dueAt: active.currentPeriod.startsAt },
  });
}
