import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../runtime/log.ts';
import { bundleWorkflows, type WorkflowBundle } from '../../workflows/worker.ts';
import { subscriptionWorkflowId, testClockWorkflowId } from '../../workflows/workflow-ids.ts';
import { newAccount } from '../stack/accounts.ts';
import { stack } from '../stack/api.ts';
import { advance, eventually, makeClock, makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';

let workflowBundle: WorkflowBundle;
let connection: Connection;

beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  workflowBundle = await bundleWorkflows(createLog('test', 'silent'));
  connection = await Connection.connect({ address: stack().temporal_address });
});
afterAll(() => connection.close());

/** Definitions must decide alike when they are replayed: after a restart, or when the cache has let them go. */
test('the runs of a life on a clock replay to what they were', async () => {
  const { api, accountId } = await newAccount();
  const clock = await makeClock(api, '2026-01-10T09:00:00Z');
  const customer_id = await makeCustomer(api, 'replayed', { test_clock_id: clock });
  const plan_id = await makePlan(api);
  const renewing = await subscribe(api, { customer_id, plan_id, start_date: '2026-01-12' });
  const ending = await subscribe(api, { customer_id, plan_id: await makePlan(api), auto_renew: false });
  await advance(api, clock, '2027-06-10T09:00:00Z');

  const ids = [renewing, ending].map((subscriptionId) => subscriptionWorkflowId({ accountId, subscriptionId }));
  // The search may lag behind what has happened.
  const runs = await eventually(
    async () =>
      (await Promise.all([...ids, testClockWorkflowId({ accountId, testClockId: clock })].map(runsOf))).flat(),
    (found) => found.length === 4,
  );
  // 17 renewals and an activation: one run goes on in a second one after about a year of them.
  expect(runs.map((run) => run.workflowId)).toEqual([ids[0], ids[0], ids[1], expect.stringContaining(clock)]);
  for (const { workflowId, history } of runs) {
    expect(history.events?.length).toBeLessThan(400);
    await Worker.runReplayHistory({ workflowBundle }, history, workflowId);
  }
});

test('a life that is paused, resumed and canceled replays, until what it left is invoiced', async () => {
  const { api, accountId } = await newAccount();
  const clock = await makeClock(api, '2026-01-10T09:00:00Z');
  const customer_id = await makeCustomer(api, 'changed', { test_clock_id: clock });
  const subscriptionId = await subscribe(api, { customer_id, plan_id: await makePlan(api) });
  const act = (action: string, body: object = {}) => api.post(`/api/subscriptions/${subscriptionId}/${action}`, body);
  expect((await act('pause', { resumes_at: '2026-02-20' })).status).toBe(200);
  await advance(api, clock, '2026-02-15T00:00:00Z');
  expect((await act('resume')).status).toBe(200);
  expect((await act('cancel', { cancel_at: '2026-03-01' })).status).toBe(200);
  await advance(api, clock, '2026-06-01T00:00:00Z');
  const workflowId = subscriptionWorkflowId({ accountId, subscriptionId });
  const runs = await eventually(
    () => runsOf(workflowId),
    (found) => found.length === 1,
  );
  for (const { history } of runs) await Worker.runReplayHistory({ workflowBundle }, history, workflowId);
  const handle = new Client({ connection }).workflow.getHandle(workflowId);
  expect((await handle.describe()).status.name).toBe('COMPLETED');
});

async function runsOf(workflowId: string) {
  const client = new Client({ connection });
  const runs = [];
  for await (const execution of client.workflow.list({ query: `WorkflowId = "${workflowId}"` })) {
    runs.push({ workflowId, history: await client.workflow.getHandle(workflowId, execution.runId).fetchHistory() });
  }
  return runs;
}
