import type { SubscriptionSchedule } from '../../billing/periods/schedule.ts';
import { lockSubscription } from '../../sql/postgres/subscriptions/subscriptions.ts';
import { saveChanges } from '../billing/save-changes.ts';
import type { ServiceDependencies } from '../dependencies.ts';
import type { PeriodRef } from '../references.ts';
import { inTransactionWithUsage } from '../usage/answered-usage.ts';
import { isDueNow, loadSchedule, loadSubscriptionSchedule } from './load-schedule.ts';
import { loadSubscriptionSnapshot, planNext, publish } from './move-subscription.ts';

/** Tells that a trial will end, some days before it does (spec/subscriptions#trials). */
export async function announceTrialEnd(
  dependencies: Pick<ServiceDependencies, 'postgres' | 'clickhouse' | 'limits' | 'rolledUp' | 'clock'>,
  period: PeriodRef,
): Promise<SubscriptionSchedule> {
  const schedule = await loadSubscriptionSchedule(dependencies, period);
  const now = schedule.clockTime ?? dependencies.clock.now();
  if (!isDueNow(schedule, 'trial_will_end', period, now)) return schedule;
  const { accountId, subscriptionId } = period;
  await inTransactionWithUsage(dependencies, accountId, async (stores) => {
    const { tx } = stores;
    await lockSubscription(tx, accountId, subscriptionId);
    // It may have been moved meanwhile, or have ended.
    if (!isDueNow(await loadSchedule(tx, period), 'trial_will_end', period, now)) return;
    const snapshot = await loadSubscriptionSnapshot(tx, accountId, subscriptionId);
    const { currentPeriod } = snapshot.subscription;
    const announced = { ...currentPeriod, trial: { noticeAt: null } };
    await saveChanges(tx, accountId, { trialsChanged: [{ subscriptionId, period: announced }] });
    await planNext(tx, snapshot, [subscriptionId]);
    await publish(stores, snapshot, 'subscription.trial_will_end');
  });
  return loadSubscriptionSchedule(dependencies, period);
}
