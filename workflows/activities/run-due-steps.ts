import { ApplicationFailure } from '@temporalio/common';
import { publishPastDue } from '../../services/invoices/past-due.ts';
import type { TestClockRef } from '../../services/references.ts';
import { type DueStep, findNextDueStep } from '../../sql/postgres/due-steps.ts';
import { inTransaction, type Pool } from '../../sql/postgres/postgres.ts';
import {
  lockTestClock,
  updateClockArrived,
  updateClockFailed,
  updateClockTime,
} from '../../sql/postgres/subscriptions/test-clocks.ts';
import type { ActivityDependencies } from './dependencies.ts';

/** Steps in one run of the activity: a few seconds' work, so that a stop or an eye on the history sees progress. */
const STEPS_PER_RUN = 100;

/**
 * Does what is due on a clock up to its goal, by instant, rank and subject, one step after another: sets the clock to the
 * step's instant, has the owner's workflow do it and waits. With nothing left the clock stands at its goal, ready
 * (spec/test-clocks#advance).
 */
export async function runDueSteps(
  dependencies: Pick<ActivityDependencies, 'postgres' | 'workflows'>,
  clock: TestClockRef,
  cancelled: AbortSignal,
): Promise<'arrived' | 'more'> {
  let previous: DueStep | undefined;
  for (let steps = 0; steps < STEPS_PER_RUN; steps++) {
    cancelled.throwIfAborted();
    const step = await takeNextDueStep(dependencies.postgres, clock);
    if (step === undefined) return 'arrived';
    if (isSame(step, previous)) throw ApplicationFailure.nonRetryable(`${describe(step)} was not done by its owner`);
    await runDueStep(dependencies, clock, step, cancelled);
    previous = step;
  }
  return 'more';
}

/** A step failed for good: the clock stays where it is and says so; advancing it again tries again. */
export async function failClock(
  { postgres }: Pick<ActivityDependencies, 'postgres'>,
  clock: TestClockRef,
): Promise<void> {
  await inTransaction(postgres, clock.accountId, (tx) => updateClockFailed(tx, clock.accountId, clock.testClockId));
}

/** The clock's next step, the clock set to its instant; undefined when it has arrived at its goal. */
async function takeNextDueStep(postgres: Pool, { accountId, testClockId }: TestClockRef): Promise<DueStep | undefined> {
  return inTransaction(postgres, accountId, async (tx) => {
    const clock = await lockTestClock(tx, accountId, testClockId);
    if (clock?.status !== 'advancing' || clock.goalTime === null) return undefined;
    const step = await findNextDueStep(tx, accountId, testClockId, clock.goalTime);
    if (step) await updateClockTime(tx, accountId, testClockId, step.dueAt);
    else await updateClockArrived(tx, accountId, testClockId);
    return step;
  });
}

async function runDueStep(
  { postgres, workflows }: Pick<ActivityDependencies, 'postgres' | 'workflows'>,
  { accountId }: TestClockRef,
  step: DueStep,
  cancelled: AbortSignal,
): Promise<void> {
  const [owner, id = ''] = step.subject.split(/\/(.*)/s);
  if (owner === 'past_due') {
    return inTransaction(postgres, accountId, (tx) => publishPastDue(tx, { accountId, invoiceId: id }));
  }
  if (owner === 'subscription') {
    await workflows.runSubscriptionStep({ accountId, subscriptionId: id }, step.dueAt, cancelled);
  } else if (owner === 'collection') {
    await workflows.runCollectionStep({ accountId, invoiceId: id }, step.dueAt, cancelled);
  } else {
    throw ApplicationFailure.nonRetryable(`nobody does ${describe(step)}`);
  }
}

function isSame(step: DueStep, previous: DueStep | undefined): boolean {
  return previous?.subject === step.subject && previous.kind === step.kind && previous.dueAt === step.dueAt;
}

function describe(step: DueStep): string {
  return `${step.kind} of ${step.subject}`;
}
