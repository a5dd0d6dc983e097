import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { subscriptionWorkflowId } from '../../workflows/workflow-ids.ts';
import { newAccount } from '../stack/accounts.ts';
import { stack } from '../stack/api.ts';
import { makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';

/** Longer than `history.stickyTTL`. */
const REST_MS = 31_000;
/** Kinds of queues, as histories have them. */
const [OF_ALL_WORKERS, OF_ONE_WORKER] = [1, 2];

let connection: Connection;

beforeAll(async () => {
  connection = await Connection.connect({ address: stack().temporal_address });
});
afterAll(() => connection.close());

test('the next task of a workflow goes to the worker that has it in memory, and after a rest to all', async () => {
  const { api, accountId } = await newAccount();
  const customer_id = await makeCustomer(api, 'rests');
  const subscriptionId = await subscribe(api, { customer_id, plan_id: await makePlan(api) });
  const handle = new Client({ connection }).workflow.getHandle(subscriptionWorkflowId({ accountId, subscriptionId }));
  /** Has it changed; the kind of queue that the first task of that was in. */
  const queueOf = async (action: 'pause' | 'resume') => {
    const before = (await handle.describe()).historyLength;
    expect((await api.post(`/api/subscriptions/${subscriptionId}/${action}`, {})).status).toBe(200);
    const { events } = await handle.fetchHistory();
    const task = events?.slice(before).find((event) => event.workflowTaskScheduledEventAttributes);
    return task?.workflowTaskScheduledEventAttributes?.taskQueue?.kind;
  };
  // What it is started for is done by then.
  expect(await queueOf('pause')).toBeDefined();
  expect(await queueOf('resume')).toBe(OF_ONE_WORKER);
  await sleep(REST_MS);
  expect(await queueOf('pause')).toBe(OF_ALL_WORKERS);
});
