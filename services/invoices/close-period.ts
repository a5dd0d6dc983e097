import type { SubscriptionSchedule } from '../../billing/periods/schedule.ts';
import { insertUsageCutoff } from '../../sql/postgres/subscriptions/usage-cutoffs.ts';
import type { ServiceDependencies } from '../dependencies.ts';
import type { PeriodRef } from '../references.ts';
import { endPeriod } from '../subscriptions/end-period.ts';
import { isDueNow, loadSchedule } from '../subscriptions/load-schedule.ts';
import { inTransactionWithUsage } from '../usage/answered-usage.ts';
import { waitForLanding } from '../usage/wait-for-landing.ts';
import { type Closing, issuePeriodInvoice } from './issue-period-invoice.ts';

/** Usage lands some 200 ms after it was accepted; what takes longer is for an activity that may wait. */
const SOON_MS = 1_000;

/**
 * Closes a period that is over, and makes its invoice once the grace is over too: fixes its usage cutoff, waits until everything
 * accepted up to that has landed, then has its invoice made from just that usage, once (spec/invoices#completeness,
 * architecture#temporal). Without a grace that is one step.
 */
export async function closePeriod(
  dependencies: ServiceDependencies,
  period: PeriodRef,
  cancelled: AbortSignal,
): Promise<SubscriptionSchedule> {
  const { closing, schedule } = await beginClosing(dependencies, period);
  if (closing === null) return schedule;
  await waitForLanding(dependencies, closing.usageCutoff, cancelled);
  return issuePeriodInvoice(dependencies, closing);
}

/** {@link closePeriod} where the usage has landed or is about to; else null, and the period is over and has its usage cutoff. */
export async function closeLandedPeriod(
  dependencies: ServiceDependencies,
  period: PeriodRef,
): Promise<SubscriptionSchedule | null> {
  const { closing, schedule } = await beginClosing(dependencies, period);
  if (closing === null) return schedule;
  const { progress, metrics } = dependencies;
  const waited = metrics.cutoffWaitSeconds.startTimer();
  if (!(await progress.waitUntilLanded(closing.usageCutoff, SOON_MS))) return null;
  waited();
  return issuePeriodInvoice(dependencies, closing);
}

/** What is left to do once the usage cutoff is fixed, null for nothing; and where the subscription stands. */
type Begun = { closing: Closing | null; schedule: SubscriptionSchedule };

async function beginClosing(dependencies: ServiceDependencies, period: PeriodRef): Promise<Begun> {
  const { clock, progress } = dependencies;
  const { accountId, subscriptionId, periodIndex } = period;
  const fixedAt = clock.now();
  const position = await progress.lastAcceptedPosition();
  return inTransactionWithUsage(dependencies, accountId, async (stores) => {
    const { tx } = stores;
    const before = await loadSchedule(tx, period);
    const now = before.clockTime ?? fixedAt;
    const isOver = isDueNow(before, 'close_period', period, now);
    if (!isOver && !isDueNow(before, 'invoice_period', period, now)) return { closing: null, schedule: before };
    if (periodIndex === null) throw new Error(`no period of ${subscriptionId} is open`);
    const ended = { accountId, subscriptionId, periodIndex };
    if (isOver) await endPeriod(stores, ended, now);
    const schedule = isOver ? await loadSchedule(tx, period) : before;
    const { next } = schedule;
    const isInvoiced = next?.kind === 'invoice_period' && next.periodIndex === periodIndex && next.dueAt <= now;
    if (!isInvoiced) return { closing: null, schedule };
    // Kept where none is kept yet: every retry counts the same usage.
    const usageCutoff = await insertUsageCutoff(tx, ended, { position, fixedAt });
    return { closing: { ...ended, now, usageCutoff }, schedule };
  });
}
