import { ApplicationFailure } from '@temporalio/common';
import { issueSections } from '../../services/invoices/issue-sections.ts';
import { publishPastDue } from '../../services/invoices/past-due.ts';
import type { TestClockRef } from '../../services/references.ts';
import { type DueStep, findNextDueStep, listSubjectsAlike } from '../../sql/postgres/due-steps.ts';
import { inReading, inTransaction, type Pool } from '../../sql/postgres/postgres.ts';
import { listSchedulesBeside, listSchedulesOnClock } from '../../sql/postgres/subscriptions/schedules.ts';
import {
  lockTestClock,
  updateClockArrived,
  updateClockFailed,
  updateClockTime,
} from '../../sql/postgres/subscriptions/test-clocks.ts';
import { startClocks } from '../start-clocks.ts';
import type { ActivityDependencies } from './dependencies.ts';
import type { WorkerShares } from './worker-shares.ts';

/** Steps in one run of the activity: a few seconds' work, so that a stop or an eye on the history sees progress. */
const STEPS_PER_RUN = 100;

/** Invoices that become past due together: a second's work. */
const PUBLISHED_AT_ONCE = 500;
/** The second time its owner has read the records anew: another workflow of its customer may have moved it on meanwhile. */
const ASKED_AT_MOST = 2;

/** The dependencies of {@link runDueSteps}. */
type ClockDependencies = Pick<ActivityDependencies, 'postgres' | 'workflows'>;
type Run = { cancelled: AbortSignal; isRepeat: boolean };

/** As {@link runDueSteps}, each step in the turn of the clock's account; another clock of the account begins once this one has arrived. */
export async function runInTurn(
  dependencies: ClockDependencies & { shares: Pick<WorkerShares, 'clockSteps'> },
  clock: TestClockRef,
  run: Run,
): Promise<'arrived' | 'more'> {
  const inTurn: InTurn = (step) => dependencies.shares.clockSteps(clock.accountId, run.cancelled, step);
  const outcome = await runDueSteps(dependencies, clock, run, inTurn);
  if (outcome === 'arrived') await startNext(dependencies, clock);
  return outcome;
}

/** A sweep finds what fails here. */
async function startNext(dependencies: ClockDependencies, { accountId }: TestClockRef): Promise<void> {
  await startClocks(dependencies, accountId).catch(() => {});
}

type InTurn = <T>(step: () => Promise<T>) => Promise<T>;

/**
 * Does what is due on a clock up to its goal, by instant, rank and subject, one step after another: sets the clock to the
 * step's instant, has the owner's workflow do it and waits. With nothing left the clock stands at its goal, ready
 * (spec/test-clocks#advance). One workflow closes what is due for its customer at an instant; the others are told at the end:
 * all of the clock by a repeat, which does not know whose steps were done before it failed or was killed.
 */
export async function runDueSteps(
  dependencies: ClockDependencies,
  clock: TestClockRef,
  { cancelled, isRepeat }: Run,
  inTurn: InTurn = (step) => step(),
): Promise<'arrived' | 'more'> {
  const asked = new Set<string>();
  let previous: DueStep | undefined;
  let times = 0;
  for (let steps = 0; steps < STEPS_PER_RUN; steps++) {
    cancelled.throwIfAborted();
    const done = await inTurn(async () => {
      const step = await takeNextDueStep(dependencies.postgres, clock);
      if (step === undefined) return undefined;
      times = isSame(step, previous) ? times + 1 : 1;
      if (times > ASKED_AT_MOST) throw ApplicationFailure.nonRetryable(`${describe(step)} was not done by its owner`);
      await runDueStep(dependencies, clock, step, cancelled);
      return step;
    });
    if (done === undefined) break;
    asked.add(done.subject);
    previous = done;
  }
  await tellOthers(dependencies, clock, isRepeat ? null : asked);
  return (await arrive(dependencies.postgres, clock)) ? 'arrived' : 'more';
}

/**
 * Tells the workflows of the customers whose steps were done where they stand, but for those that did them. Nothing changes that before
 * the clock has arrived, and what comes later reaches a workflow after this. Null: all that live on the clock.
 */
async function tellOthers(
  { postgres, workflows }: ClockDependencies,
  clock: TestClockRef,
  asked: ReadonlySet<string> | null,
): Promise<void> {
  const { accountId } = clock;
  const ids = [...(asked ?? [])].flatMap((subject) => {
    const [owner, id] = subject.split('/');
    return owner === 'subscription' && id !== undefined ? [id] : [];
  });
  if (asked !== null && ids.length === 0) return;
  const others = await inReading(postgres, accountId, (tx) =>
    asked === null ? listSchedulesOnClock(tx, clock) : listSchedulesBeside(tx, accountId, ids),
  );
  const tell = [...others].map(([subscriptionId, schedule]) => {
    return workflows.lookAgain({ accountId, subscriptionId }, schedule);
  });
  await Promise.all(tell);
}

/** A step failed for good: the clock stays where it is and says so; advancing it again tries again. */
export async function failClock(dependencies: ClockDependencies, clock: TestClockRef): Promise<void> {
  const { accountId, testClockId } = clock;
  await inTransaction(dependencies.postgres, accountId, (tx) => updateClockFailed(tx, accountId, testClockId));
  await startNext(dependencies, clock);
}

/** The clock's next step, the clock set to its instant; undefined where none is due up to its goal. */
async function takeNextDueStep(postgres: Pool, { accountId, testClockId }: TestClockRef): Promise<DueStep | undefined> {
  return inTransaction(postgres, accountId, async (tx) => {
    const clock = await lockTestClock(tx, accountId, testClockId);
    if (clock?.status !== 'advancing' || clock.goalTime === null) return undefined;
    const step = await findNextDueStep(tx, accountId, testClockId, clock.goalTime);
    if (step) await updateClockTime(tx, accountId, testClockId, step.dueAt);
    return step;
  });
}

/** The clock stands at its goal where nothing is due any more; false where something is. */
async function arrive(postgres: Pool, { accountId, testClockId }: TestClockRef): Promise<boolean> {
  return inTransaction(postgres, accountId, async (tx) => {
    const clock = await lockTestClock(tx, accountId, testClockId);
    if (clock?.status !== 'advancing' || clock.goalTime === null) return true;
    if (await findNextDueStep(tx, accountId, testClockId, clock.goalTime)) return false;
    await updateClockArrived(tx, accountId, testClockId);
    return true;
  });
}

async function runDueStep(
  { postgres, workflows }: ClockDependencies,
  clock: TestClockRef,
  step: DueStep,
  cancelled: AbortSignal,
): Promise<void> {
  const { accountId } = clock;
  const [owner, id = ''] = step.subject.split(/\/(.*)/s);
  if (owner === 'past_due') {
    return publishAlike(postgres, clock, step);
  }
  if (owner === 'sections') {
    const [, payerId = ''] = id.split(/\/(.*)/s);
    const waiting = { accountId, payerId, dueAt: step.dueAt };
    await inTransaction(postgres, accountId, (tx) => issueSections(tx, waiting, step.dueAt));
    return;
  }
  if (owner === 'subscription') {
    await workflows.runSubscriptionStep({ accountId, subscriptionId: id }, step.dueAt, cancelled);
  } else if (owner === 'collection') {
    await workflows.runCollectionStep({ accountId, invoiceId: id }, step.dueAt, cancelled);
  } else {
    throw ApplicationFailure.nonRetryable(`nobody does ${describe(step)}`);
  }
}

/** Publishes all that is past due at that instant. */
async function publishAlike(postgres: Pool, clock: TestClockRef, step: DueStep): Promise<void> {
  const { accountId } = clock;
  await inTransaction(postgres, accountId, async (tx) => {
    const subjects = await listSubjectsAlike(tx, clock, step, PUBLISHED_AT_ONCE);
    const ids = subjects.map((subject) => subject.slice('past_due/'.length));
    await publishPastDue(tx, accountId, ids);
  });
}

function isSame(step: DueStep, previous: DueStep | undefined): boolean {
  return previous?.subject === step.subject && previous.kind === step.kind && previous.dueAt === step.dueAt;
}

function describe(step: DueStep): string {
  return `${step.kind} of ${step.subject}`;
}
