import {
  type Boundary,
  inOrderOfDue,
  type NextStep,
  type SubscriptionSchedule,
} from '../../billing/periods/schedule.ts';
import { endsLife } from '../../billing/subscriptions/closing-boundaries.ts';
import type { Subscription } from '../../billing/subscriptions/subscription.ts';
import { notFound } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import { loadAccount } from '../../sql/postgres/accounts/accounts.ts';
import { loadCustomer } from '../../sql/postgres/customers/customers.ts';
import { findSchedules, listDueSchedules } from '../../sql/postgres/subscriptions/schedules.ts';
import { findSubscriptions, lockSubscriptions } from '../../sql/postgres/subscriptions/subscriptions.ts';
import { insertUsageCutoffs } from '../../sql/postgres/subscriptions/usage-cutoffs.ts';
import type { ServiceDependencies } from '../dependencies.ts';
import type { CustomerRef, PeriodRef } from '../references.ts';
import { endPeriods } from '../subscriptions/end-periods.ts';
import { isDueNow } from '../subscriptions/load-schedule.ts';
import { inTransactionWithUsage, type Stores } from '../usage/answered-usage.ts';
import { waitForLanding } from '../usage/wait-for-landing.ts';
import { type Closing, issuePeriodInvoices } from './issue-period-invoices.ts';

/** Usage lands some 200 ms after it was accepted; what takes longer is for an activity that may wait. */
const SOON_MS = 1_000;
/** So many closings of a customer are saved together: about a second, in which its subscriptions are locked. */
const CLOSED_TOGETHER = 500;

/**
 * Closes a period that is over, and makes its invoice once the grace is over too: fixes its usage cutoff, waits until everything
 * accepted up to that has landed, then has its invoice made from just that usage, once (spec/invoices#completeness,
 * architecture#temporal). Without a grace that is one step. Whatever of the customer's periods is due before it, or with it, is closed
 * with it, in order (spec/periods#order-at-one-instant): the workflows that come for these find them done.
 */
export async function closePeriod(
  dependencies: ServiceDependencies,
  period: PeriodRef,
  cancelled: AbortSignal,
  tell: TellStands = () => {},
): Promise<SubscriptionSchedule> {
  for (;;) {
    const begun = await beginClosing(dependencies, period, tell);
    if (begun.is === 'done') return begun.schedule;
    if (begun.is === 'waiting') throw new Error(`a step comes before the closing of ${period.subscriptionId}`);
    if (begun.closing !== null) {
      await waitForLanding(dependencies, begun.closing.usageCutoff, cancelled);
      const schedules = await issuePeriodInvoices(dependencies, begun.closing);
      tell(period.accountId, schedules);
      const after = schedules.get(period.subscriptionId);
      if (after && isClosed(after, period, begun.closing.now)) return after;
    }
    cancelled.throwIfAborted();
  }
}

/** Hears where subscriptions of an account stand after they were closed together. */
export type TellStands = (accountId: string, schedules: ReadonlyMap<string, SubscriptionSchedule>) => void;

/** {@link closePeriod} where the usage has landed or is about to, and nothing else of the customer comes first; else null, and what is over has its usage cutoff. */
export async function closeLandedPeriod(
  dependencies: ServiceDependencies,
  period: PeriodRef,
  tell: TellStands = () => {},
): Promise<SubscriptionSchedule | null> {
  const { progress, metrics } = dependencies;
  const begun = await beginClosing(dependencies, period, tell);
  if (begun.is === 'done') return begun.schedule;
  if (begun.is === 'waiting' || begun.closing === null) return null;
  const { closing } = begun;
  const waited = metrics.cutoffWaitSeconds.startTimer();
  if (!(await progress.waitUntilLanded(closing.usageCutoff, SOON_MS))) return null;
  waited();
  const schedules = await issuePeriodInvoices(dependencies, closing);
  tell(period.accountId, schedules);
  const after = schedules.get(period.subscriptionId);
  return after && isClosed(after, period, closing.now) ? after : null;
}

/**
 * `done`: nothing of the period is due any more. `waiting`: a step of the customer that is no closing comes first. `begun`: periods
 * have ended, and `closing` is what is to be invoiced of them, null for nothing; that may be less than all that is due.
 */
type Beginning =
  | { is: 'done'; schedule: SubscriptionSchedule }
  | { is: 'waiting' }
  | { is: 'begun'; closing: Closing | null };

async function beginClosing(
  dependencies: ServiceDependencies,
  period: PeriodRef,
  tell: TellStands,
): Promise<Beginning> {
  const { clock, progress } = dependencies;
  const { accountId, subscriptionId } = period;
  const fixedAt = clock.now();
  const position = await progress.lastAcceptedPosition();
  let ended: ReadonlyMap<string, SubscriptionSchedule> = new Map();
  const begun = await inTransactionWithUsage(dependencies, accountId, async (stores): Promise<Beginning> => {
    const { tx } = stores;
    const schedules = await listDueSchedules(tx, accountId, subscriptionId, fixedAt);
    const own = schedules.get(subscriptionId);
    if (!own) throw notFound(`subscription ${subscriptionId}`);
    const { customerId } = own;
    const now = own.clockTime ?? fixedAt;
    const isDue = isDueNow(own, 'close_period', period, now) || isDueNow(own, 'invoice_period', period, now);
    if (!isDue) return { is: 'done', schedule: own };
    const first = closingsFirst(schedules, now);
    if (first.length === 0) return { is: 'waiting' };
    const ids = await endDue(stores, { accountId, customerId }, first, now);
    const changed = await findSchedules(tx, accountId, [...ids, subscriptionId]);
    const after = new Map([...schedules, ...changed]);
    const periods = invoicesFirst(after, now).filter((period) => ids.includes(period.subscriptionId));
    if (periods.length > 0) {
      // Kept where none is kept yet: every retry counts the same usage.
      const cutoffs = await insertUsageCutoffs(tx, accountId, periods, { position, fixedAt });
      const [usageCutoff = position] = cutoffs;
      const other = cutoffs.findIndex((cutoff) => cutoff !== usageCutoff);
      const together = other < 0 ? periods : periods.slice(0, other);
      const dueAt = periods[0]?.dueAt ?? now;
      return { is: 'begun', closing: { accountId, customerId, periods: together, dueAt, usageCutoff, now } };
    }
    ended = changed;
    const schedule = after.get(subscriptionId);
    return schedule && isClosed(schedule, period, now) ? { is: 'done', schedule } : { is: 'begun', closing: null };
  });
  tell(accountId, ended);
  return begun;
}

/** Whether no closing of that period is due by then: what comes next for the subscription is another step, or later. */
export function isClosed({ next }: SubscriptionSchedule, { periodIndex }: PeriodRef, now: Instant): boolean {
  return next === null || !isClosing(next) || next.periodIndex !== periodIndex || next.dueAt > now;
}

function isClosing({ kind }: Boundary): boolean {
  return kind === 'close_period' || kind === 'invoice_period';
}

type ClosingStep = NextStep & { periodIndex: number };

/** The closings that are due before any other step of the customer, in order. */
function closingsFirst(schedules: ReadonlyMap<string, SubscriptionSchedule>, now: Instant): ClosingStep[] {
  return firstDue(schedules, now, isClosing).slice(0, CLOSED_TOGETHER);
}

/** The periods whose invoices are due before any other step of the customer, in order. */
function invoicesFirst(schedules: ReadonlyMap<string, SubscriptionSchedule>, now: Instant): ClosingStep[] {
  return firstDue(schedules, now, ({ kind }) => kind === 'invoice_period');
}

/**
 * The steps of periods that come first and are all due at one instant: what a subscription has next, once its step is done, may be
 * due before what others have at a later one.
 */
function firstDue(
  schedules: ReadonlyMap<string, SubscriptionSchedule>,
  now: Instant,
  isWanted: (step: Boundary) => boolean,
): ClosingStep[] {
  const due = [...schedules]
    .flatMap(([subscriptionId, { next }]) => (next === null || next.dueAt > now ? [] : { ...next, subscriptionId }))
    .toSorted(inOrderOfDue);
  const other = due.findIndex((step) => !isWanted(step) || step.dueAt !== due[0]?.dueAt);
  const first = other < 0 ? due : due.slice(0, other);
  return first.flatMap((step) => (step.periodIndex === null ? [] : { ...step, periodIndex: step.periodIndex }));
}

/**
 * Locks the subscriptions of these steps, and ends those periods that are over and still current. Answers whose steps are done
 * together: one that ends a life is done alone, since what comes behind it may bill what it leaves.
 */
async function endDue(
  stores: Stores,
  { accountId, customerId }: CustomerRef,
  steps: readonly ClosingStep[],
  now: Instant,
): Promise<string[]> {
  const { tx } = stores;
  const all = steps.map(({ subscriptionId }) => subscriptionId);
  await lockSubscriptions(tx, accountId, all);
  const [schedules, found] = await Promise.all([
    findSchedules(tx, accountId, all),
    findSubscriptions(tx, accountId, all),
  ]);
  const ordered = all.flatMap((id) => found.find(({ subscriptionId }) => subscriptionId === id) ?? []);
  const lastAt = ordered.findIndex(endsLife);
  const together = lastAt < 0 ? ordered : ordered.slice(0, Math.max(lastAt, 1));
  const isOver = ({ subscriptionId }: Subscription) => {
    const next = schedules.get(subscriptionId)?.next;
    return next?.kind === 'close_period' && next.dueAt <= now;
  };
  const over = together.filter(isOver);
  if (over.length > 0) {
    const account = await loadAccount(tx, accountId);
    const customer = await loadCustomer(tx, accountId, customerId);
    await endPeriods(stores, { account, customer }, over, now);
  }
  return together.map(({ subscriptionId }) => subscriptionId);
}
