import { expect, test } from 'vitest';
import { CLOSINGS_AT_ONCE, createActivities } from '../../workflows/activities/activities.ts';
import type { ActivityDependencies } from '../../workflows/activities/dependencies.ts';

test("a closing at once does not wait for others' turn: meanwhile its workflow's task would answer no call", async () => {
  let asked = 0;
  const connect = () => {
    asked += 1;
    return new Promise(() => {});
  };
  const { closeLandedPeriod } = createActivities({ postgres: { connect } } as unknown as ActivityDependencies);
  const period = { accountId: 'acct_any', subscriptionId: 'sub_any', periodIndex: 0 };
  for (let i = 0; i < CLOSINGS_AT_ONCE; i++) void closeLandedPeriod(period);
  expect(await closeLandedPeriod(period)).toBeNull();
  expect(asked).toBe(CLOSINGS_AT_ONCE);
});
