import { atMost } from '../../runtime/at-most.ts';
import { listCollections } from '../../sql/postgres/payments/collections.ts';
import { type LiveSubscription, listLiveSubscriptionsAfter } from '../../sql/postgres/subscriptions/schedules.ts';
import { listAdvancingClocks } from '../../sql/postgres/subscriptions/test-clocks.ts';
import { subscriptionWorkflowId } from '../workflow-ids.ts';
import type { ActivityDependencies } from './dependencies.ts';

/** Live subscriptions read at a time: one short query each. */
const PAGE_SIZE = 1_000;
/** Enough to keep Temporal busy, few enough that each is answered in time. */
const STARTS_AT_ONCE = 20;

/**
 * Starts every workflow that Postgres says should run and that does not: of live subscriptions, of clocks that
 * advance, and of invoices to collect. Starting one that runs after all does nothing, so the search may lag behind.
 */
export async function reconcile(
  dependencies: Pick<ActivityDependencies, 'postgres' | 'workflows' | 'log'>,
  cancelled: AbortSignal,
): Promise<{ subscriptions: number; clocks: number }> {
  const { postgres, workflows, log } = dependencies;
  const clocks = await listAdvancingClocks(postgres);
  for (const clock of clocks) await workflows.advanceClock(clock);
  // One that runs is left alone.
  for (const collection of await listCollections(postgres)) await workflows.startCollection(collection);

  const running = await workflows.listRunningSubscriptions();
  const starting = atMost(STARTS_AT_ONCE);
  let restarted = 0;
  let last: LiveSubscription | undefined;
  do {
    cancelled.throwIfAborted();
    const page = await listLiveSubscriptionsAfter(postgres, last ?? { accountId: '', subscriptionId: '' }, PAGE_SIZE);
    const lost = page.filter((one) => !running.has(subscriptionWorkflowId(one)));
    const starts = lost.map((live) => starting(() => workflows.startSubscription(live, live.schedule)));
    restarted += (await Promise.all(starts)).filter((hasStarted) => hasStarted).length;
    last = page.at(-1);
  } while (last !== undefined);
  if (restarted > 0) log.warn({ restarted }, 'subscriptions without a workflow were restarted');
  return { subscriptions: restarted, clocks: clocks.length };
}
