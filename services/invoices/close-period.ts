import type { SubscriptionSchedule } from '../../billing/periods/schedule.ts';
import { inTransaction, type Transaction } from '../../sql/postgres/postgres.ts';
import { insertUsageCutoff } from '../../sql/postgres/subscriptions/usage-cutoffs.ts';
import type { Position } from '../../stream/positions.ts';
import type { ServiceDependencies } from '../dependencies.ts';
import type { PeriodRef } from '../references.ts';
import { isDueNow, loadSchedule, loadSubscriptionSchedule } from '../subscriptions/load-schedule.ts';
import { waitForLanding } from '../usage/wait-for-landing.ts';
import { type Closing, issuePeriodInvoice, rollPausedPeriod } from './issue-period-invoice.ts';

/** Usage lands some 200 ms after it was accepted; what takes longer is for an activity that may wait. */
const SOON_MS = 1_000;

/**
 * Closes a period that has ended: fixes its usage cutoff, waits until everything accepted up to that has landed, then has its
 * invoice made from just that usage, once (spec/invoices#completeness, architecture#temporal).
 */
export async function closePeriod(
  dependencies: ServiceDependencies,
  period: PeriodRef,
  cancelled: AbortSignal,
): Promise<SubscriptionSchedule> {
  const begun = await beginClosing(dependencies, period);
  if (begun.closing === null) return begun.schedule;
  await waitForLanding(dependencies, begun.closing.usageCutoff, cancelled);
  return issuePeriodInvoice(dependencies, begun.closing);
}

/** {@link closePeriod} where the usage has landed or is about to; else null, and the period has its usage cutoff and is still open. */
export async function closeLandedPeriod(
  dependencies: ServiceDependencies,
  period: PeriodRef,
): Promise<SubscriptionSchedule | null> {
  const begun = await beginClosing(dependencies, period);
  if (begun.closing === null) return begun.schedule;
  const { progress, metrics } = dependencies;
  const waited = metrics.cutoffWaitSeconds.startTimer();
  if (!(await progress.waitUntilLanded(begun.closing.usageCutoff, SOON_MS))) return null;
  waited();
  return issuePeriodInvoice(dependencies, begun.closing);
}

/** What is left to do once the usage cutoff is fixed; nothing, and where it stands, where it is closed already. */
type Begun = { closing: Closing } | { closing: null; schedule: SubscriptionSchedule };

async function beginClosing(dependencies: ServiceDependencies, period: PeriodRef): Promise<Begun> {
  const { postgres, clock } = dependencies;
  const { accountId, subscriptionId, periodIndex } = period;
  const begun = await inTransaction(postgres, accountId, async (tx) => {
    const schedule = await loadSchedule(tx, period);
    const now = schedule.clockTime ?? clock.now();
    if (!isDueNow(schedule, 'close_period', period, now)) return { closing: null, schedule };
    if (periodIndex === null) throw new Error(`no period of ${subscriptionId} is open`);
    const ended = { accountId, subscriptionId, periodIndex, now };
    if (schedule.status === 'paused') return { paused: ended };
    return { closing: { ...ended, usageCutoff: await fixUsageCutoff(tx, dependencies, ended) } };
  });
  if (!('paused' in begun)) return begun;
  const { paused } = begun;
  if ((await rollPausedPeriod(dependencies, paused)) === 'rolled') {
    return { closing: null, schedule: await loadSubscriptionSchedule(dependencies, period) };
  }
  const fix = (tx: Transaction) => fixUsageCutoff(tx, dependencies, paused);
  return { closing: { ...paused, usageCutoff: await inTransaction(postgres, accountId, fix) } };
}

/** Reads the stream's last position and keeps it, where none is kept yet: every retry counts the same usage. */
async function fixUsageCutoff(
  tx: Transaction,
  { progress, clock }: Pick<ServiceDependencies, 'progress' | 'clock'>,
  { accountId, subscriptionId, periodIndex }: Omit<Closing, 'usageCutoff'>,
): Promise<Position> {
  const cutoff = { position: await progress.lastAcceptedPosition(), fixedAt: clock.now() };
  return insertUsageCutoff(tx, { accountId, subscriptionId, periodIndex }, cutoff);
}
