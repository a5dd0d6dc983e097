import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SubscriptionSchedule } from '../../../billing/periods/schedule.ts';
import type { Activities } from '../../../workflows/activities/activities.ts';
import { loadBundle } from '../../../workflows/kept-bundle.ts';
import { stack } from '../../stack/api.ts';
import '../quiet-runtime.ts';

/** The definition with activities that only say what they are asked: how a period is closed, and by which of them. */

const taskQueue = `closes-at-once-${process.pid}`;
const ref = { accountId: 'acct_any', subscriptionId: 'sub_any' };
const about = { customerId: 'any', planId: 'plan_any', clockTime: null, periodEnd: null };
const due: SubscriptionSchedule = {
  ...about,
  status: 'active',
  next: { kind: 'close_period', periodIndex: 0, dueAt: 0 },
};
const ended: SubscriptionSchedule = { ...about, status: 'expired', next: null };

let asked: string[];
let closeLandedPeriod: () => Promise<SubscriptionSchedule | null>;
let worker: Worker;
let running: Promise<void>;
let server: NativeConnection;
let connection: Connection;

function asking<T>(name: string, answer: () => Promise<T>) {
  return async () => {
    asked.push(name);
    return answer();
  };
}

beforeAll(async () => {
  const workflowBundle = await loadBundle();
  server = await NativeConnection.connect({ address: stack().temporal_address });
  connection = await Connection.connect({ address: stack().temporal_address });
  const activities: Pick<Activities, 'loadSubscriptionCourse' | 'closeLandedPeriod' | 'closePeriod'> = {
    loadSubscriptionCourse: asking('loadSubscriptionCourse', async () => due),
    closeLandedPeriod: asking('closeLandedPeriod', () => closeLandedPeriod()),
    closePeriod: asking('closePeriod', async () => ended),
  };
  worker = await Worker.create({ connection: server, taskQueue, workflowBundle, activities });
  running = worker.run();
});
afterAll(async () => {
  worker.shutdown();
  await running;
  await Promise.all([server.close(), connection.close()]);
});

/** Runs the life to its end; returns what was asked on the way. */
async function live(name: string, args: unknown[]): Promise<string[]> {
  asked = [];
  const workflowId = `${taskQueue}/${name}`;
  await new Client({ connection }).workflow.execute('subscription', { taskQueue, workflowId, args });
  return asked;
}

test('a period whose usage has landed is closed within the task of its workflow, which was told its schedule', async () => {
  closeLandedPeriod = async () => ended;
  expect(await live('landed', [ref, { course: due }])).toEqual(['closeLandedPeriod']);
  expect(await live('not told', [ref, {}])).toEqual(['loadSubscriptionCourse', 'closeLandedPeriod']);
});

test('where it has not landed, or the attempt fails, it is closed by an activity that may wait', async () => {
  closeLandedPeriod = async () => null;
  expect(await live('not landed', [ref, { course: due }])).toEqual(['closeLandedPeriod', 'closePeriod']);
  closeLandedPeriod = () => Promise.reject(new Error('Postgres is away'));
  expect(await live('fails', [ref, { course: due }])).toEqual(['closeLandedPeriod', 'closePeriod']);
});

test('a run that began before there were attempts closes as its history says', async () => {
  expect(await live('before', [ref])).toEqual(['loadSubscriptionCourse', 'closePeriod']);
});
