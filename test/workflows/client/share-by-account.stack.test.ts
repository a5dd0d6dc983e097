import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../../core/ids.ts';
import { shareByAccount } from '../../../workflows/call-interceptors.ts';
import { stack } from '../../stack/api.ts';
import { waitUntil } from '../../stack/wait-until.ts';

const WORKFLOWS = { many: 60, few: 1 };
/** Temporal spreads a task queue over partitions, and each gives tasks of its accounts in turn. */
const SOON = 30;
/** Temporal wants to know how long a poll waits. */
const POLL_MS = 60_000;

const taskQueue = newId('req');
let connection: Connection;
let client: Client;
const started: string[] = [];

beforeAll(async () => {
  connection = await Connection.connect({ address: stack().temporal_address });
  client = new Client({ connection, interceptors: { workflow: [shareByAccount] } });
});
afterAll(async () => {
  await Promise.all(started.map((workflowId) => client.workflow.getHandle(workflowId).terminate()));
  await connection.close();
});

async function start(accountId: string, n: number): Promise<void> {
  const workflowId = `${taskQueue}/${accountId}/${n}`;
  await client.workflow.start('any', { workflowId, taskQueue, args: [{ accountId }] });
  started.push(workflowId);
}

async function countWaitingTasks(): Promise<number> {
  const question = { namespace: 'default', taskQueue: { name: taskQueue }, taskQueueType: 1, reportStats: true };
  const { stats } = await connection.workflowService.describeTaskQueue(question);
  return Number(stats?.approximateBacklogCount);
}

test('tasks of an account with many workflows do not go before the task of one with few', async () => {
  for (const [accountId, count] of Object.entries(WORKFLOWS)) {
    await Promise.all(Array.from({ length: count }, (_, n) => start(accountId, n)));
  }
  await waitUntil(countWaitingTasks, (count) => count >= started.length);
  const order: string[] = [];
  while (!order.includes('few') && order.length < started.length) {
    const question = { namespace: 'default', taskQueue: { name: taskQueue }, identity: 'test' };
    const task = await connection.withDeadline(Date.now() + POLL_MS, () =>
      connection.workflowService.pollWorkflowTaskQueue(question),
    );
    const [, accountId] = task.workflowExecution?.workflowId?.split('/') ?? [];
    if (accountId !== undefined) order.push(accountId);
  }
  expect(order.indexOf('few')).toBeLessThan(SOON);
});
