import type { SubscriptionSchedule } from '../../billing/periods/schedule.ts';
import type { Instant } from '../../core/instants.ts';
import { atMost } from '../../runtime/at-most.ts';
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

type Dependencies = Pick<ActivityDependencies, 'postgres' | 'workflows' | 'clock' | 'log'>;

/** Live subscriptions read at a time: one short query each. */
const PAGE_SIZE = 1_000;
/** Enough to keep Temporal busy, few enough that each is answered in time. */
const CALLS_AT_ONCE = 20;
/** Later than this a step is only where its workflow waits for another time than Postgres says, or where something is away. */
const OVERDUE_MS = 30_000;

/**
 * Brings the workflows to where Postgres says they should be, whichever of the two was lost or restored from a backup. Every
 * workflow that should run and does not is started: of live subscriptions, of clocks that advance, of invoices to collect, of
 * refunds that a processor sends, of what it told. Starting one that runs after all does nothing, so the search may lag behind. One
 * that runs while what it should have done is overdue looks again: it may wait for a time that Postgres knows nothing of. So does
 * every one, once, after a restore of Postgres.
 */
export async function reconcile(
  dependencies: Dependencies,
  cancelled: AbortSignal,
): Promise<{ subscriptions: number; clocks: number }> {
  const { postgres, workflows, clock, log } = dependencies;
  const restoredAt = await findUnseenRestore(postgres);
  const isRestored = restoredAt !== null;
  const clocks = await listAdvancingClocks(postgres);
  for (const advancing of clocks) await workflows.advanceClock(advancing);
  await reconcilePayments(dependencies, isRestored, cancelled);
  // The dispatch hands them to their workflows.
  if (isRestored) await updateRetriesHandedOut(postgres, null);
  const subscriptions = await reconcileSubscriptions(dependencies, isRestored, cancelled);
  if (isRestored) {
    await updateRestoreSeen(postgres, restoredAt, clock.now());
    log.warn({ restoredAt }, 'the records were restored: all workflows have been told to look again');
  }
  return { subscriptions, clocks: clocks.length };
}

/** Collections, refunds, and what processors told of. */
async function reconcilePayments(
  { postgres, workflows, clock }: Dependencies,
  isRestored: boolean,
  cancelled: AbortSignal,
): Promise<void> {
  const call = atMost(CALLS_AT_ONCE);
  const overdueSince = clock.now() - OVERDUE_MS;
  const each = <T>(all: T[], work: (one: T) => Promise<unknown>) =>
    Promise.all(
      all.map((one) =>
        call(() => {
          cancelled.throwIfAborted();
          return work(one);
        }),
      ),
    );
  await each(await listCollections(postgres), async ({ mayBeDue, ...collection }) => {
    const isNew = await workflows.startCollection(collection);
    const isLate = async () => isOverdue(await loadCollectionSchedule({ postgres }, collection), overdueSince);
    // After a restore a new one, too: what the processor has told since the backup it will not tell again.
    if (isRestored || (!isNew && mayBeDue && (await isLate()))) await workflows.lookAgainAtCollection(collection);
  });
  await each(await listRefundsUnderWay(postgres), async ({ isSent, ...refund }) => {
    if (await workflows.startRefund(refund)) return;
    if (isRestored || !isSent) await workflows.lookAgainAtRefund(refund);
  });
  await each(await listEventsToFollow(postgres), ({ data, ...event }) =>
    workflows.startProcessorEvent({ ...event, subject: data as ToldByProcessor['subject'] }),
  );
}

/** How many were started again. */
async function reconcileSubscriptions(
  { postgres, workflows, clock, log }: Dependencies,
  isRestored: boolean,
  cancelled: AbortSignal,
): Promise<number> {
  const unseen = await workflows.listRunningSubscriptions();
  const overdueSince = clock.now() - OVERDUE_MS;
  const call = atMost(CALLS_AT_ONCE);
  const done = { restarted: 0, lookAgain: 0 };
  const bring = async (live: LiveSubscription) => {
    const isRunning = unseen.delete(subscriptionWorkflowId(live));
    if (!isRunning && (await workflows.startSubscription(live, live.schedule))) done.restarted++;
    else if (isRestored || isOverdue(live.schedule, overdueSince)) {
      await workflows.lookAgain(live);
      done.lookAgain++;
    }
  };
  let last: LiveSubscription | undefined;
  do {
    cancelled.throwIfAborted();
    const page = await listLiveSubscriptionsAfter(postgres, last ?? { accountId: '', subscriptionId: '' }, PAGE_SIZE);
    await Promise.all(page.map((live) => call(() => bring(live))));
    last = page.at(-1);
  } while (last !== undefined);
  const { restarted } = done;
  if (restarted > 0) log.warn({ restarted }, 'subscriptions without a workflow were restarted');
  if (done.lookAgain > 0) log.warn({ subscriptions: done.lookAgain, isRestored }, 'subscriptions look again');
  const unknown = await listUnknownSubscriptions(postgres, [...unseen].map(subscriptionOfWorkflow));
  const reason = 'The records do not have its subscription: they were restored from before it was made.';
  await Promise.all(unknown.map((one) => call(() => workflows.endSubscription(one, reason))));
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
