import { Client, Connection, WithStartWorkflowOperation } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../../runtime/log.ts';
import type { Activities } from '../../../workflows/activities/activities.ts';
import { createSlots } from '../../../workflows/activities/slots.ts';
import { CALL_TASK_QUEUE } from '../../../workflows/definitions/activity-options.ts';
import { loadBundle } from '../../../workflows/kept-bundle.ts';
import { type RunningWorker, startWorker } from '../../../workflows/worker.ts';
import { stack } from '../../stack/api.ts';
import { eventually } from '../../stack/clocks.ts';
import '../quiet-runtime.ts';

/** Our workflows on a worker with few slots, whose activities end when the test says so. */

const taskQueue = `worker-slots-${process.pid}`;
const [SLOTS, OF_ONE] = [4, 2];

let connection: Connection;
let client: Client;
let worker: RunningWorker;
/** The accounts whose activities are under way, in the order in which they began. */
let underWay: string[];
let ended: PromiseWithResolvers<void>;

async function hang({ accountId }: { accountId: string }): Promise<void> {
  underWay.push(accountId);
  await ended.promise;
  underWay.splice(underWay.indexOf(accountId), 1);
}

beforeAll(async () => {
  [underWay, ended] = [[], Promise.withResolvers()];
  const activities: Pick<Activities, 'eraseUsage' | 'waitForAcceptedUsage'> = {
    eraseUsage: async (ref) => {
      if (ref.accountId !== 'acct_short') await hang(ref);
      return 0;
    },
    waitForAcceptedUsage: async () => {},
  };
  const { temporal_address: temporalAddress } = stack();
  worker = startWorker({
    ...{ temporalAddress, temporalNamespace: 'default', taskQueue, bundle: await loadBundle(), activities },
    ...{
      activitiesAtOnce: SLOTS,
      slots: createSlots({ atOnce: SLOTS, ofOne: OF_ONE }),
      log: createLog('test', 'silent'),
    },
  });
  connection = await Connection.connect({ address: temporalAddress });
  client = new Client({ connection });
});
afterAll(async () => {
  ended.resolve();
  await worker.stop();
  await connection.close();
});

/** Starts an erasure, whose first activity takes a slot. */
function erase(accountId: string, customerId: string) {
  const workflowId = `erasure/${accountId}/${taskQueue}/${customerId}`;
  return client.workflow.start('erasure', { taskQueue, workflowId, args: [{ accountId, customerId }] });
}

test('accounts that fill the slots of a worker stop neither others nor calls, and lose nothing', async () => {
  const many = await Promise.all(Array.from({ length: 6 }, (_, i) => erase('acct_many', `many_${i}`)));
  await eventually(
    async () => underWay,
    ({ length }) => length === OF_ONE,
  );
  const short = await erase('acct_short', 'short');
  expect(await short.result()).toEqual({ events: 0 });
  expect(underWay).toEqual(['acct_many', 'acct_many']);

  // Another account has the other slots: now all are taken.
  const more = await Promise.all(Array.from({ length: 2 }, (_, i) => erase('acct_more', `more_${i}`)));
  await eventually(
    async () => underWay,
    ({ length }) => length === SLOTS,
  );
  await expect(pauseUnknown()).rejects.toMatchObject({
    cause: { cause: { message: 'No such subscription sub_none.' } },
  });
  expect(underWay).toHaveLength(SLOTS);

  ended.resolve();
  const results = await Promise.all([...many, ...more].map((handle) => handle.result()));
  expect(results).toEqual(Array.from({ length: 8 }, () => ({ events: 0 })));
});

/** Asks a subscription's workflow of this worker to pause one that is not there. The worker of the stack answers. */
async function pauseUnknown(): Promise<never> {
  const ref = { accountId: 'acct_other', subscriptionId: 'sub_none' };
  const schedule = {
    status: 'active',
    customerId: 'any',
    planId: 'plan_any',
    periodEnd: null,
    clockTime: null,
    next: null,
  };
  const handle = await client.workflow.start('subscription', {
    ...{ taskQueue, workflowId: `subscription/acct_other/${taskQueue}`, args: [ref, { course: schedule }] },
  });
  try {
    const request = { resumesAt: null, reason: null };
    await handle.executeUpdate('pause', { args: [{ operationId: 'op_none', requestHash: 'none', request }] });
    throw new Error('there is such a subscription');
  } finally {
    await handle.terminate('was here for a test');
  }
}

/** Where the first activity of a workflow is done that begins with a call. */
async function firstQueue(type: 'subscription' | 'collection', update: 'pause' | 'pay'): Promise<unknown> {
  const workflowId = `${type}/acct_other/${taskQueue}/begins`;
  const ref = { accountId: 'acct_other', subscriptionId: 'sub_none', invoiceId: 'inv_none' };
  const start = { taskQueue, workflowId, args: [ref, {}], workflowIdConflictPolicy: 'USE_EXISTING' as const };
  await client.workflow.startUpdateWithStart(update, {
    ...{ args: [{ operationId: 'op_none', requestHash: 'none' }], waitForStage: 'ACCEPTED' as const },
    startWorkflowOperation: new WithStartWorkflowOperation(type, start),
  });
  const handle = client.workflow.getHandle(workflowId);
  const scheduled = await eventually(
    async () => {
      const { events } = await handle.fetchHistory();
      return events?.find(({ activityTaskScheduledEventAttributes: activity }) => activity);
    },
    (event) => event !== undefined,
  );
  await handle.terminate('was here for a test');
  return scheduled?.activityTaskScheduledEventAttributes?.taskQueue?.name;
}

test('a call that a workflow begins with waits behind nothing either: not for what it reads first', async () => {
  expect(await firstQueue('subscription', 'pause')).toBe(CALL_TASK_QUEUE);
  expect(await firstQueue('collection', 'pay')).toBe(CALL_TASK_QUEUE);
});
