import { isCancellation, proxyActivities, setCurrentDetails, setHandler } from '@temporalio/workflow';
import type { Activities } from '../activities/activities.ts';
import { UNTIL_DONE } from './activity-options.ts';
import { advanceSignal, type TestClockRef } from './messages.ts';

const { runDueSteps, failClock } = proxyActivities<Activities>(UNTIL_DONE);

/**
 * One advance of a test clock: everything due up to its goal happens, in order, then the clock is ready (contract 14).
 * The goal is in Postgres; an `advance` that arrives while this run is ending makes it look again.
 */
export async function testClock(ref: TestClockRef): Promise<void> {
  let asked = true;
  setHandler(advanceSignal, () => {
    asked = true;
  });
  while (asked) {
    asked = false;
    setCurrentDetails('Advancing: doing what is due, one step after another');
    await advance(ref);
  }
}

async function advance(ref: TestClockRef): Promise<void> {
  try {
    while ((await runDueSteps(ref)) === 'more');
  } catch (error) {
    if (isCancellation(error)) throw error;
    await failClock(ref);
    throw error;
  }
}
