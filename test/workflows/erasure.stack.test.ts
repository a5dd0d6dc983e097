import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { erasureWorkflowId, subscriptionWorkflowId } from '../../workflows/workflow-ids.ts';
import { newAccount, type TestAccount } from '../stack/accounts.ts';
import { stack } from '../stack/api.ts';
import { eventually, makeClock, makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';
import { landed, track } from '../stack/resources.ts';

let connection: Connection;
let client: Client;
let account: TestAccount;

beforeAll(async () => {
  connection = await Connection.connect({ address: stack().temporal_address });
  client = new Client({ connection });
});
beforeEach(async () => {
  account = await newAccount();
});
afterAll(() => connection.close());

async function statusOf(workflowId: string): Promise<string> {
  const description = await client.workflow
    .getHandle(workflowId)
    .describe()
    .catch(() => undefined);
  return description?.status.name ?? 'none';
}

const isCompleted = (status: string) => status === 'COMPLETED';

describe('a deleted customer', () => {
  test('has its erasure as a workflow of a readable id that tells what it did', async () => {
    const { api, accountId } = account;
    const customerId = await makeCustomer(api, 'gone/äöü 日本');
    await track(api, { customer_id: customerId, time_created: '2026-01-01T00:00:00Z' });
    await landed(api);
    expect((await api.post(`/api/customers/${encodeURIComponent(customerId)}/delete/`)).status).toBe(204);
    const id = erasureWorkflowId({ accountId, customerId });
    expect(id).toBe(`erasure/${accountId}/gone/äöü 日本`);
    await eventually(() => statusOf(id), isCompleted);
    expect(await client.workflow.getHandle(id).result()).toEqual({ events: 1 });
  });

  test('may have the longest id', async () => {
    const { api, accountId } = account;
    const customerId = await makeCustomer(api, '😀'.repeat(256));
    expect((await api.post(`/api/customers/${encodeURIComponent(customerId)}/delete/`)).status).toBe(204);
    await eventually(() => statusOf(erasureWorkflowId({ accountId, customerId })), isCompleted);
  });

  test.each([
    ['in real time', undefined],
    ['on a test clock', '2026-01-01T00:00:00Z'],
  ])('has the workflows of its subscriptions end, %s', async (_, frozenTime) => {
    const { api, accountId } = account;
    const clock = frozenTime && { test_clock_id: await makeClock(api, frozenTime) };
    const customerId = await makeCustomer(api, `ends ${frozenTime}`, { ...clock });
    const subscriptionId = await subscribe(api, { customer_id: customerId, plan_id: await makePlan(api) });
    const id = subscriptionWorkflowId({ accountId, subscriptionId });
    await eventually(
      () => statusOf(id),
      (status) => status === 'RUNNING',
    );
    expect((await api.post(`/api/customers/${encodeURIComponent(customerId)}/delete/`)).status).toBe(204);
    await eventually(() => statusOf(id), isCompleted);
  });
});
