import { expect } from 'vitest';
import { STEPS } from '../../services/subscriptions/earlier-steps.ts';
import { loadSubscriptionSchedule } from '../../services/subscriptions/load-schedule.ts';
import { inTransaction, type Pool } from '../../sql/postgres/postgres.ts';
import { findTestClock, updateClockAdvancing } from '../../sql/postgres/subscriptions/test-clocks.ts';
import type { ActivityDependencies } from '../../workflows/activities/dependencies.ts';
import { runDueSteps } from '../../workflows/activities/run-due-steps.ts';
import type { WorkflowClient } from '../../workflows/client.ts';
import type { Api } from '../stack/api.ts';
import { connectActivities, relayed } from './activity-fixture.ts';

/** Of the stack that all tests share; it ends with the process. */
let connected: Promise<ActivityDependencies> | undefined;

/**
 * As `advance` of `stack/clocks.ts`, by the same steps in the same order, but each is done in this process instead of by the
 * workflow of its subscription, which takes less CPU and no waiting. For tests of what is billed; that workflows do the steps in time is
 * what tests of cycles, pauses, phases, planned switches and lives hold.
 */
export async function advance(_: Api, testClockId: string, to: string): Promise<void> {
  connected ??= connectActivities().then(({ dependencies }) => dependencies);
  const dependencies = await connected;
  const { postgres } = dependencies;
  const accountId = await accountOf(postgres, testClockId);
  await relayed(dependencies, accountId);
  const goal = Date.parse(to);
  const clock = await inTransaction(postgres, accountId, async (tx) => {
    const before = await findTestClock(tx, accountId, testClockId);
    await updateClockAdvancing(tx, accountId, testClockId, goal);
    return before;
  });
  expect(clock?.status).toBe('ready');
  expect(goal).toBeGreaterThan(clock?.frozenTime ?? goal);
  const workflows = stepsOf(dependencies);
  const how = { cancelled: AbortSignal.timeout(100_000), isRepeat: false };
  while ((await runDueSteps({ postgres, workflows }, { accountId, testClockId }, how)) === 'more');
}

/** Does the steps of subscriptions itself. Their workflows are not told: they read where they stand when they are asked again. */
function stepsOf(dependencies: ActivityDependencies): WorkflowClient {
  return {
    ...dependencies.workflows,
    runSubscriptionStep: async (ref, until, cancelled) => {
      const { next } = await loadSubscriptionSchedule(dependencies, ref);
      if (next === null || next.dueAt > until) return;
      await STEPS[next.kind](dependencies, { ...ref, periodIndex: next.periodIndex }, cancelled);
    },
    lookAgain: async () => {},
  };
}

async function accountOf(postgres: Pool, testClockId: string): Promise<string> {
  const sql = 'SELECT account_id FROM test_clocks WHERE test_clock_id = $1';
  const { rows } = await postgres.query<{ account_id: string }>(sql, [testClockId]);
  return String(rows[0]?.account_id);
}
