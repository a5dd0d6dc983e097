import type { SubscriptionCourse } from '../../billing/next-boundary.ts';
import { inTransaction } from '../../sql/postgres.ts';
import { insertSeal } from '../../sql/seals.ts';
import type { Position } from '../../stream/positions.ts';
import type { PeriodRef } from './activities.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { issuePeriodInvoice, rollPausedPeriod } from './issue-period-invoice.ts';
import { isStillDue, loadSubscriptionCourse } from './load-subscription-course.ts';

/** How long one wait for landing lasts before the activity looks whether it has been cancelled. */
const LANDING_WAIT_MS = 1_000;

/**
 * Closes a period that has ended: seals it, waits until everything accepted up to the seal has landed, then has its
 * invoice made from just that usage, once (contract 8, completeness; design 8, closing a period).
 */
export async function closePeriod(
  dependencies: ActivityDependencies,
  period: PeriodRef,
  cancelled: AbortSignal,
): Promise<SubscriptionCourse> {
  const course = await loadSubscriptionCourse(dependencies, period);
  const now = course.clockTime ?? dependencies.clock.now();
  if (!isStillDue(course, 'close_period', period, now)) return course;
  const { accountId, subscriptionId, periodIndex } = period;
  if (periodIndex === null) throw new Error(`no period of ${subscriptionId} is open`);
  const sealed = { accountId, subscriptionId, periodIndex };
  if (course.status === 'paused') {
    const outcome = await rollPausedPeriod(dependencies, { accountId, subscriptionId, periodIndex, now });
    if (outcome === 'rolled') return loadSubscriptionCourse(dependencies, period);
  }
  const sealPosition = await sealPeriod(dependencies, sealed);
  await waitForLanding(dependencies, sealPosition, cancelled);
  await issuePeriodInvoice(dependencies, { accountId, subscriptionId, periodIndex, sealPosition, now });
  return loadSubscriptionCourse(dependencies, period);
}

/** Reads the stream's last position and keeps it, where none is kept yet: every retry counts the same usage. */
async function sealPeriod(
  { postgres, progress, clock }: Pick<ActivityDependencies, 'postgres' | 'progress' | 'clock'>,
  period: { accountId: string; subscriptionId: string; periodIndex: number },
): Promise<Position> {
  const seal = { position: await progress.lastAcceptedPosition(), sealedAt: clock.now() };
  return inTransaction(postgres, period.accountId, (tx) => insertSeal(tx, period, seal));
}

/** Waits until everything accepted up to the seal can be read; for ever, unless cancelled. */
export async function waitForLanding(
  { progress, metrics }: Pick<ActivityDependencies, 'progress' | 'metrics'>,
  seal: Position,
  cancelled: AbortSignal,
): Promise<void> {
  const waited = metrics.sealWaitSeconds.startTimer();
  while (!(await progress.waitUntilLanded(seal, LANDING_WAIT_MS))) cancelled.throwIfAborted();
  waited();
}
