import { expect, test } from 'vitest';
import { systemClock } from '../../../runtime/clock.ts';
import { CLOSINGS_AT_ONCE, createActivities } from '../../../workflows/activities/activities.ts';
import type { ActivityDependencies } from '../../../workflows/activities/dependencies.ts';

const period = { accountId: 'acct_any', subscriptionId: 'sub_any', periodIndex: 0 };

/** Activities whose usage stream does not answer: what begins goes on for ever. */
function unanswered() {
  const asked = { times: 0 };
  const lastAcceptedPosition = () => {
    asked.times += 1;
    return new Promise(() => {});
  };
  const dependencies = { clock: systemClock, progress: { lastAcceptedPosition } };
  return { asked, activities: createActivities(dependencies as unknown as ActivityDependencies) };
}

test('a closing at once waits for no other: meanwhile its workflow would hold its task, and calls go unanswered', async () => {
  const { asked, activities } = unanswered();
  for (let i = 0; i < CLOSINGS_AT_ONCE; i++) void activities.closeLandedPeriod(period);
  expect(await activities.closeLandedPeriod(period)).toBeNull();
  expect(asked.times).toBe(CLOSINGS_AT_ONCE);
});
