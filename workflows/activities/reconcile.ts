import type { SubscriptionSchedule } from '../../billing/periods/schedule.ts';
import { DomainError } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import { atMost } from '../../runtime/at-most.ts';
import type { Log } from '../../runtime/log.ts';
import { loadCollectionSchedule } from '../../services/payments/collect-invoice.ts';
import type { ToldByProcessor } from '../../services/payments/follow-processor.ts';
import { listRefundsUnderWay } from '../../sql/postgres/credits/refunds.ts';
import { listCollections } from '../../sql/postgres/payments/collections.ts';
import { listEventsToFollow } from '../../sql/postgres/payments/processor-events.ts';
import { findUnseenRestore, updateRestoreSeen } from '../../sql/postgres/restores.ts';
import {
  type LiveSubscription,
  listLiveSubscriptionsAfter,
  listUnknownSubscriptions,
} from '../../sql/postgres/subscriptions/schedules.ts';
import { listAdvancingClocks } from '../../sql/postgres/subscriptions/test-clocks.ts';
import { updateRetriesHandedOut } from '../../sql/postgres/webhooks/webhook-sending.ts';
import { subscriptionOfWorkflow, subscriptionWorkflowId } from '../workflow-ids.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { createStandBack } from './stand-back.ts';
import { createWhoLooksAgain, type MayTell } from './who-looks-again.ts';

type Dependencies = Pick<ActivityDependencies, 'postgres' | 'workflows' | 'clock' | 'log'>;

/** Live subscriptions read at a time: one short query each. */
const PAGE_SIZE = 1_000;
/** Enough to keep Temporal busy, few enough that each is answered in time. */
const CALLS_AT_ONCE = 20;
/** Later than this a step is only where its workflow waits for another time than Postgres says, or where something is away. */
const OVERDUE_MS = 30_000;

/** A sweep under way. */
type Sweep = Dependencies & {
  /** All look again: the records were restored. */
  isRestored: boolean;
  overdueSince: Instant;
  mayTell: MayTell;
  /** Waits while the workers have much to do. */
  standBack(): Promise<void>;
  /** Does work for each, some at once. What fails is logged, and the others are done, unless Temporal is away or the sweep is to end. */
  each<T>(all: readonly T[], subjectOf: (one: T) => string, work: (one: T) => Promise<unknown>): Promise<unknown>;
};

/**
 * Brings the workflows to where Postgres says they should be, whichever of the two was lost or restored from a backup. Every
 * workflow that should run and does not is started: of live subscriptions, of clocks that advance, of invoices to collect, of
 * refunds that a processor sends, of what it told. Starting one that runs after all does nothing, so the search may lag behind. One
 * that runs while what it should have done is overdue looks again: it may wait for a time that Postgres knows nothing of. So does
 * every one, once, after a restore of Postgres.
 */
export function createReconcile(dependencies: Dependencies) {
  const { postgres, workflows, clock, log } = dependencies;
  const whoLooksAgain = createWhoLooksAgain(() => workflows.loadBacklog(), clock);

  return async (cancelled: AbortSignal): Promise<{ subscriptions: number; clocks: number }> => {
    const restoredAt = await findUnseenRestore(postgres);
    const isRestored = restoredAt !== null;
    const now = clock.now();
    const each = eachOf(log, cancelled);
    const mayTell = await whoLooksAgain();
    const standBack = createStandBack(() => workflows.loadBacklog(), cancelled);
    const sweep: Sweep = { ...dependencies, isRestored, overdueSince: now - OVERDUE_MS, mayTell, standBack, each };
    const clocks = await listAdvancingClocks(postgres);
    await each(
      clocks,
      ({ testClockId }) => testClockId,
      (advancing) => workflows.advanceClock(advancing),
    );
    await reconcilePayments(sweep);
    // The dispatch hands them to their workflows.
    if (isRestored) await updateRetriesHandedOut(postgres, null);
    const subscriptions = await reconcileSubscriptions(sweep);
    if (isRestored) {
      await updateRestoreSeen(postgres, restoredAt, clock.now());
      log.warn({ restoredAt }, 'the records were restored: all workflows have been told to look again');
    }
    return { subscriptions, clocks: clocks.length };
  };
}

function eachOf(log: Log, cancelled: AbortSignal): Sweep['each'] {
  const call = atMost(CALLS_AT_ONCE);
  return (all, subjectOf, work) => {
    const each = all.map((one) =>
      call(async () => {
        cancelled.throwIfAborted();
        try {
          await work(one);
        } catch (error) {
          if (error instanceof DomainError && error.code === 'unavailable') throw error;
          log.error({ err: error, subject: subjectOf(one) }, 'cannot be brought to where its record says');
        }
      }),
    );
    return Promise.all(each);
  };
}

/** Collections, refunds, and what processors told of. */
async function reconcilePayments({
  postgres,
  workflows,
  isRestored,
  overdueSince,
  mayTell,
  each,
}: Sweep): Promise<void> {
  const ofCollection = ({ invoiceId }: { invoiceId: string }) => `collection/${invoiceId}`;
  await each(await listCollections(postgres), ofCollection, async ({ mayBeDue, ...collection }) => {
    const isNew = await workflows.startCollection(collection);
    const isLate = async () => isOverdue(await loadCollectionSchedule({ postgres }, collection), overdueSince);
    const tells = async () => !isNew && mayBeDue && (await isLate()) && mayTell(ofCollection(collection));
    // After a restore a new one, too: what the processor has told since the backup it will not tell again.
    if (isRestored || (await tells())) await workflows.lookAgainAtCollection(collection);
  });
  const ofRefund = ({ refundId }: { refundId: string }) => `refund/${refundId}`;
  await each(await listRefundsUnderWay(postgres), ofRefund, async ({ isSent, ...refund }) => {
    if (await workflows.startRefund(refund)) return;
    if (isRestored || (!isSent && mayTell(ofRefund(refund)))) await workflows.lookAgainAtRefund(refund);
  });
  await each(
    await listEventsToFollow(postgres),
    ({ eventId }) => `event/${eventId}`,
    ({ data, ...event }) => workflows.startProcessorEvent({ ...event, subject: data as ToldByProcessor['subject'] }),
  );
}

/** How many were started again. */
async function reconcileSubscriptions(sweep: Sweep): Promise<number> {
  const { postgres, workflows, log, isRestored, overdueSince, mayTell, standBack, each } = sweep;
  const unseen = await workflows.listRunningSubscriptions();
  const done = { restarted: 0, lookAgain: 0 };
  const bring = async (live: LiveSubscription) => {
    const workflowId = subscriptionWorkflowId(live);
    const isRunning = unseen.delete(workflowId);
    if (!isRunning) await standBack();
    if (!isRunning && (await workflows.startSubscription(live, live.schedule))) done.restarted++;
    else if (isRestored || (isOverdue(live.schedule, overdueSince) && mayTell(workflowId))) {
      await workflows.lookAgain(live);
      done.lookAgain++;
    }
  };
  let last: LiveSubscription | undefined;
  do {
    const page = await listLiveSubscriptionsAfter(postgres, last ?? { accountId: '', subscriptionId: '' }, PAGE_SIZE);
    await each(page, subscriptionWorkflowId, bring);
    last = page.at(-1);
  } while (last !== undefined);
  const { restarted } = done;
  if (restarted > 0) log.warn({ restarted }, 'subscriptions without a workflow were restarted');
  if (done.lookAgain > 0) log.warn({ subscriptions: done.lookAgain, isRestored }, 'subscriptions look again');
  const unknown = await listUnknownSubscriptions(postgres, [...unseen].map(subscriptionOfWorkflow));
  const reason = 'The records do not have its subscription: they were restored from before it was made.';
  await each(unknown, subscriptionWorkflowId, (one) => workflows.endSubscription(one, reason));
  if (unknown.length > 0) log.warn({ unknown: unknown.length }, 'workflows of unknown subscriptions were ended');
  return restarted;
}

/** In real time: what a test clock has done is on a list of its own. */
function isOverdue(
  { next, clockTime }: Pick<SubscriptionSchedule, 'clockTime'> & { next: { dueAt: Instant } | null },
  since: Instant,
): boolean {
  return clockTime === null && next !== null && next.dueAt < since;
}
