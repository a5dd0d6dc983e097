import {
  continueAsNew,
  isCancellation,
  patched,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { TestClockRef } from '../../services/references.ts';
import type { Activities } from '../activities/activities.ts';
import { CLOCK_TASK_QUEUE, UNTIL_DONE } from './activity-options.ts';
import { advanceSignal } from './messages.ts';

const { runDueSteps } = proxyActivities<Activities>({
  ...{ ...UNTIL_DONE, taskQueue: CLOCK_TASK_QUEUE },
  summary: 'do what is due, up to 100 steps',
});
const { failClock } = proxyActivities<Activities>({ ...UNTIL_DONE, summary: 'stop here: a step failed for good' });

/**
 * One advance of a test clock: everything due up to its goal happens, in order, then the clock is ready (spec/test-clocks#advance).
 * The goal is in Postgres; an `advance` that arrives while this run is ending, in whatever way, makes it look again. Ten years of many
 * subscriptions are more than one history holds: then a new run goes on.
 */
export async function testClock(ref: TestClockRef): Promise<void> {
  let isAsked = true;
  let failure: unknown;
  setHandler(advanceSignal, () => {
    isAsked = true;
  });
  while (isAsked) {
    isAsked = false;
    setCurrentDetails('Advancing: doing what is due, one step after another');
    const outcome = await advance(ref);
    if (outcome === 'new run') await continueAsNew<typeof testClock>(ref);
    else failure = outcome?.failure;
  }
  // Shown as failed in the UI, with the reason.
  if (failure !== undefined) throw failure;
}

/** Goes to the goal, or as far as this run's history goes; returns why a step failed for good, where one did. */
async function advance(ref: TestClockRef): Promise<'new run' | { failure: unknown } | undefined> {
  try {
    while ((await runDueSteps(ref)) === 'more') {
      if (workflowInfo().continueAsNewSuggested && patched('clock-goes-on-in-new-run')) return 'new run';
    }
    return undefined;
  } catch (error) {
    if (isCancellation(error)) throw error;
    await failClock(ref);
    return { failure: error };
  }
}
