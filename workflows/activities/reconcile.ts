import type { SubscriptionSchedule } from '../../billing/periods/schedule.ts';
import type { Instant } from '../../core/instants.ts';
import { atMost } from '../../runtime/at-most.ts';
import { listRefundsUnderWay } from '../../sql/postgres/credits/refunds.ts';
import { listCollections } from '../../sql/postgres/payments/collections.ts';
import { type LiveSubscription, listLiveSubscriptionsAfter } from '../../sql/postgres/subscriptions/schedules.ts';
import { listAdvancingClocks } from '../../sql/postgres/subscriptions/test-clocks.ts';
import { subscriptionWorkflowId } from '../workflow-ids.ts';
import type { ActivityDependencies } from './dependencies.ts';

/** Live subscriptions read at a time: one short query each. */
const PAGE_SIZE = 1_000;
/** Enough to keep Temporal busy, few enough that each is answered in time. */
const CALLS_AT_ONCE = 20;
/** Later than this a step is only where its workflow waits for another time than Postgres says, or where something is away. */
const OVERDUE_MS = 30_000;

/**
 * Brings the workflows to where Postgres says they should be, whichever of the two was lost or restored from a backup. Every
 * workflow that should run and does not is started: of live subscriptions, of clocks that advance, of invoices to collect, of
 * refunds that a processor sends. Starting one that runs after all does nothing, so the search may lag behind. And a subscription
 * whose next step is overdue is looked at again by its workflow, which may wait for a time that Postgres knows nothing of.
 */
export async function reconcile(
  dependencies: Pick<ActivityDependencies, 'postgres' | 'workflows' | 'clock' | 'log'>,
  cancelled: AbortSignal,
): Promise<{ subscriptions: number; clocks: number }> {
  const { postgres, workflows } = dependencies;
  const clocks = await listAdvancingClocks(postgres);
  for (const clock of clocks) await workflows.advanceClock(clock);
  for (const collection of await listCollections(postgres)) await workflows.startCollection(collection);
  for (const refund of await listRefundsUnderWay(postgres)) await workflows.startRefund(refund);
  return { subscriptions: await reconcileSubscriptions(dependencies, cancelled), clocks: clocks.length };
}

/** How many were started again. */
async function reconcileSubscriptions(
  { postgres, workflows, clock, log }: Pick<ActivityDependencies, 'postgres' | 'workflows' | 'clock' | 'log'>,
  cancelled: AbortSignal,
): Promise<number> {
  const running = await workflows.listRunningSubscriptions();
  const overdueSince = clock.now() - OVERDUE_MS;
  const call = atMost(CALLS_AT_ONCE);
  let restarted = 0;
  let last: LiveSubscription | undefined;
  do {
    cancelled.throwIfAborted();
    const page = await listLiveSubscriptionsAfter(postgres, last ?? { accountId: '', subscriptionId: '' }, PAGE_SIZE);
    const isRunning = (one: LiveSubscription) => running.has(subscriptionWorkflowId(one));
    const lost = page.filter((one) => !isRunning(one));
    const starts = lost.map((live) => call(() => workflows.startSubscription(live, live.schedule)));
    restarted += (await Promise.all(starts)).filter((hasStarted) => hasStarted).length;
    const overdue = page.filter((one) => isRunning(one) && isOverdue(one.schedule, overdueSince));
    await Promise.all(overdue.map((live) => call(() => workflows.lookAgain(live))));
    if (overdue.length > 0) log.warn({ overdue: overdue.length }, 'subscriptions with an overdue step look again');
    last = page.at(-1);
  } while (last !== undefined);
  if (restarted > 0) log.warn({ restarted }, 'subscriptions without a workflow were restarted');
  return restarted;
}

/** In real time: what a test clock has its subscriptions do is on a list of its own. */
function isOverdue({ next, clockTime }: SubscriptionSchedule, since: Instant): boolean {
  return clockTime === null && next !== null && next.dueAt < since;
}
