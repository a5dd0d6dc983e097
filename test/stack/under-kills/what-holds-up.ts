import { inspect } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import type { StackFile } from '../../../local/stack-file.ts';
import { subscriptionWorkflowId, testClockWorkflowId } from '../../../workflows/workflow-ids.ts';
import { withPostgres } from '../accounts.ts';

/**
 * Why a test clock does not arrive, for who reads the failure: its row, the steps that are due, and what Temporal says of its workflow and of the
 * owner of the first step, from whose last events a lost message or a task that nobody takes is seen. Their stack is gone by then.
 */
export async function whatHoldsUp(at: StackFile, testClockId: string): Promise<string> {
  const { clock, steps } = await withPostgres(async (postgres) => {
    const ofClock = 'SELECT account_id, status, frozen_time, goal_time FROM test_clocks WHERE test_clock_id = $1';
    const due =
      'SELECT subject, kind, due_at FROM due_steps WHERE test_clock_id = $1 ORDER BY due_at, rank, subject LIMIT 3';
    const [{ rows: clocks }, { rows }] = await Promise.all([
      postgres.query<{ account_id: string }>(ofClock, [testClockId]),
      postgres.query<{ subject: string }>(due, [testClockId]),
    ]);
    return { clock: clocks[0], steps: rows };
  }, at);
  if (!clock) return `there is no clock ${testClockId}`;
  const accountId = clock.account_id;
  const [owner, subscriptionId] = (steps[0]?.subject ?? '').split('/');
  const ids = [testClockWorkflowId({ accountId, testClockId })];
  if (owner === 'subscription' && subscriptionId) ids.push(subscriptionWorkflowId({ accountId, subscriptionId }));
  const workflows = await describeWorkflows(at, ids);
  return inspect({ clock, steps, workflows }, { depth: 8, breakLength: 160 });
}

/** Of its events so many: a step of a year has about ten. */
const LAST_EVENTS = 30;

async function describeWorkflows(at: StackFile, ids: readonly string[]): Promise<unknown[]> {
  const connection = await Connection.connect({ address: at.temporal_address });
  const { workflow } = new Client({ connection });
  const describe = async (id: string) => {
    const handle = workflow.getHandle(id);
    const { status, raw } = await handle.describe();
    const { events } = await handle.fetchHistory();
    const last = (events ?? []).slice(-LAST_EVENTS).map(({ eventTime, ...event }) => {
      const kind = Object.keys(event).find((key) => key.endsWith('EventAttributes'));
      return `${new Date(Number(eventTime?.seconds ?? 0) * 1_000).toISOString()} ${kind?.replace('EventAttributes', '')}`;
    });
    return { id, status: status.name, activities: raw.pendingActivities, task: raw.pendingWorkflowTask, last };
  };
  try {
    return await Promise.all(ids.map((id) => describe(id).catch((error: Error) => ({ id, error: error.message }))));
  } finally {
    await connection.close();
  }
}
