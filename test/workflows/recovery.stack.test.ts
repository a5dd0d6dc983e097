import { randomUUID } from 'node:crypto';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { planSteps } from '../../sql/postgres/due-steps.ts';
import { inTransaction, type Transaction } from '../../sql/postgres/postgres.ts';
import { updateClockAdvancing } from '../../sql/postgres/subscriptions/test-clocks.ts';
import { RECONCILE_SCHEDULE, refundWorkflowId, subscriptionWorkflowId } from '../../workflows/workflow-ids.ts';
import { newAccount, type TestAccount, withPostgres } from '../stack/accounts.ts';
import { stack } from '../stack/api.ts';
import { advance, eventually, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';
import { connectedAccount, fakeStripe, newPayer } from '../stack/processors.ts';

let account: TestAccount;
let connection: Connection;
let temporal: Client;

beforeAll(async () => {
  connection = await Connection.connect({ address: stack().temporal_address });
  temporal = new Client({ connection });
});
beforeEach(async () => {
  account = await newAccount();
});
afterAll(() => connection.close());

function executionOf({ workflowId }: WorkflowHandle) {
  return { namespace: 'default', workflowExecution: { workflowId } };
}

async function liveSubscription(customerId: string) {
  const { api, accountId } = account;
  const clock = await makeClock(api, '2026-01-10T09:00:00Z');
  const customer_id = await makeCustomer(api, customerId, { test_clock_id: clock });
  const subscriptionId = await subscribe(api, { customer_id, plan_id: await makePlan(api) });
  const handle = temporal.workflow.getHandle(subscriptionWorkflowId({ accountId, subscriptionId }));
  await eventually(
    () => handle.query('state').catch(() => undefined),
    (state) => state !== undefined && state !== 'loading',
  );
  return { clock, subscriptionId, handle };
}

const inPostgres = (work: (tx: Transaction) => Promise<void>) =>
  withPostgres((postgres) => inTransaction(postgres, account.accountId, work));

async function workflowIds(query: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const execution of temporal.workflow.list({ query })) ids.push(execution.workflowId);
  return ids;
}

describe('for a person in the Temporal UI', () => {
  test('a subscription tells its state and next steps, and is found by what it is about', async () => {
    const { subscriptionId, handle } = await liveSubscription('visible');
    expect(await handle.query('state')).toMatchObject({ status: 'active', customer_id: 'visible' });
    expect(await handle.query('next_steps')).toEqual([
      { at: '2026-02-09 00:00:00 UTC', step: 'close period 1, due 2026-02-09 00:00:00 UTC' },
    ]);
    const path = `/api/subscriptions/${subscriptionId}/cancel`;
    expect((await account.api.post(path, { cancel_at: 'end_of_period' })).status).toBe(200);
    expect(await handle.query('next_steps')).toMatchObject([
      { step: 'close period 1 and cancel as planned, due 2026-02-09 00:00:00 UTC' },
    ]);
    const about = `AccountId = "${account.accountId}" AND CustomerId = "visible" AND SubscriptionStatus = "active"`;
    const query = `${about} AND PeriodEnd > "2026-02-08T00:00:00Z" AND PeriodEnd < "2026-02-10T00:00:00Z"`;
    const found = await eventually(
      () => workflowIds(query),
      (ids) => ids.length > 0,
    );
    expect(found).toEqual([`subscription/${account.accountId}/${subscriptionId}`]);
  });

  test('a subscription tells which workflow is its own, with its page', async () => {
    const { subscriptionId } = await liveSubscription('linked');
    const answer = await account.api.get(`/api/subscriptions/${subscriptionId}/workflow`);
    expect(answer.status, answer.text).toBe(200);
    const workflow_id = `subscription/${account.accountId}/${subscriptionId}`;
    const url = `${stack().temporal_ui_url}/namespaces/default/workflows/${encodeURIComponent(workflow_id)}`;
    expect(answer.body).toEqual({ workflow_id, namespace: 'default', url });
    expect((await temporal.workflow.getHandle(workflow_id).describe()).status.name).toBe('RUNNING');
    expect((await account.api.get('/api/subscriptions/none/workflow')).status).toBe(404);
  });

  test('its workflow ends with it', async () => {
    const { clock, handle } = await liveSubscription('ending');
    const { api } = account;
    const once = await subscribe(api, { customer_id: 'ending', plan_id: await makePlan(api), auto_renew: false });
    await advance(api, clock, '2026-03-01T00:00:00Z');
    const ended = subscriptionWorkflowId({ accountId: account.accountId, subscriptionId: once });
    await temporal.workflow.getHandle(ended).result();
    expect((await handle.describe()).status.name).toBe('RUNNING');
  });
});

describe('the reconcile sweep', () => {
  const sweep = () => temporal.schedule.getHandle(RECONCILE_SCHEDULE).trigger();

  test.each([
    ['terminated', (handle: WorkflowHandle) => handle.terminate('lost, for a test')],
    ['deleted', (handle: WorkflowHandle) => temporal.workflowService.deleteWorkflowExecution(executionOf(handle))],
  ] as const)(
    'starts the %s workflow of a live subscription again, which goes on where the records stand',
    async (how, lose) => {
      const { clock, subscriptionId, handle } = await liveSubscription(how);
      await advance(account.api, clock, '2026-03-01T00:00:00Z');
      const { runId } = await handle.describe();
      await lose(handle);
      await eventually(
        async () => {
          await sweep();
          return handle.describe().catch(() => undefined);
        },
        (found) => found?.status.name === 'RUNNING' && found.runId !== runId,
      );
      await advance(account.api, clock, '2026-04-01T00:00:00Z');
      expect(await invoicesOf(account.api, `subscription_id=${subscriptionId}`)).toHaveLength(2);
    },
  );

  test('sets a clock going that the records say is advancing', async () => {
    const { clock, subscriptionId } = await liveSubscription('stuck');
    const goal = Date.parse('2026-03-01T00:00:00Z');
    await inPostgres((tx) => updateClockAdvancing(tx, account.accountId, clock, goal));
    // Again until it is seen: a sweep that is under way looked at the clocks before, and another does not start beside it.
    const rested = await eventually(
      async () => {
        await sweep();
        return (await account.api.get(`/api/test-clocks/${clock}`)).body;
      },
      ({ status }) => String(status) !== 'advancing',
    );
    expect(rested).toMatchObject({ status: 'ready', frozen_time: '2026-03-01T00:00:00.000Z' });
    expect(await invoicesOf(account.api, `subscription_id=${subscriptionId}`)).toHaveLength(1);
  });
});

describe('a lost workflow', () => {
  test('that was reset to its beginning does nothing twice', async () => {
    const { clock, subscriptionId, handle } = await liveSubscription('reset');
    await advance(account.api, clock, '2026-03-01T00:00:00Z');
    const { events = [] } = await handle.fetchHistory();
    const beginning = events?.find((event) => event.workflowTaskCompletedEventAttributes);
    await temporal.workflowService.resetWorkflowExecution({
      ...executionOf(handle),
      workflowTaskFinishEventId: beginning?.eventId ?? null,
      requestId: randomUUID(),
      reason: 'for a test',
    });
    expect(await advance(account.api, clock, '2026-04-01T00:00:00Z')).toMatchObject({ status: 'ready' });
    const invoices = await invoicesOf(account.api, `subscription_id=${subscriptionId}`);
    expect(invoices.map(({ period_start }) => String(period_start).slice(0, 10))).toEqual(['2026-01-10', '2026-02-09']);
  });

  test('is started by the step that is due', async () => {
    const { clock, subscriptionId, handle } = await liveSubscription('gone');
    await handle.terminate('gone, for a test');
    expect(await advance(account.api, clock, '2026-03-01T00:00:00Z')).toMatchObject({ status: 'ready' });
    expect(await invoicesOf(account.api, `subscription_id=${subscriptionId}`)).toHaveLength(1);
  });
});

describe('a step that fails for good', () => {
  test.each([
    ['nobody does', (_: string) => 'nobody/at-all'],
    ['its owner does not do', (subscriptionId: string) => `subscription/${subscriptionId}`],
  ])('because %s it stops the clock there, and it can be advanced again', async (why, subjectOf) => {
    const { accountId, api } = account;
    const { clock, subscriptionId } = await liveSubscription(`blocked, ${why}`);
    const subject = subjectOf(subscriptionId);
    const step = { subject, kind: 'nonsense', dueAt: Date.parse('2026-01-20T00:00:00Z'), rank: 0 };
    await inPostgres((tx) => planSteps(tx, { accountId, testClockId: clock }, [step]));
    const stopped = await advance(api, clock, '2026-03-01T00:00:00Z');
    expect(stopped).toMatchObject({ status: 'failed', frozen_time: '2026-01-20T00:00:00.000Z' });
    const change = await api.post('/api/credits', { customer_id: `blocked, ${why}`, amount: 5 });
    expect(change.status).toBe(409);

    const unblock = 'DELETE FROM due_steps WHERE account_id = $1 AND kind = $2';
    await withPostgres((postgres) => postgres.query(unblock, [accountId, 'nonsense']));
    expect(await advance(api, clock, '2026-03-01T00:00:00Z')).toMatchObject({ status: 'ready' });
    expect(await invoicesOf(api, `subscription_id=${subscriptionId}`)).toHaveLength(1);
  });
});

describe('a subscription that waits for another time than Postgres says', () => {
  const inRealTime = async (customer_id: string) => {
    // At noon: what is changed by minutes stays within the day.
    const hours = 12 - new Date().getUTCHours();
    await makeCustomer(account.api, customer_id, { timezone: `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}` });
    return subscribe(account.api, { customer_id, plan_id: await makePlan(account.api) });
  };
  const change = (sql: string, ...values: unknown[]) =>
    withPostgres((postgres) => postgres.query(sql, [account.accountId, ...values]));
  const recordOf = async (id: string) => (await account.api.get(`/api/subscriptions/${id}`)).body;

  test('since Postgres was restored from a backup: an overdue step is done soon after', async () => {
    const { api } = account;
    const id = await inRealTime('restored');
    const resumes_at = new Date(Date.now() + 3_600_000).toISOString();
    expect((await api.post(`/api/subscriptions/${id}/pause`, { resumes_at })).status).toBe(200);
    const earlier = `paused_at = paused_at - interval '2 minutes'`;
    const one = 'WHERE account_id = $1 AND subscription_id = $2';
    await change(`UPDATE pauses SET ${earlier} ${one}`, id);
    await change(`UPDATE subscriptions SET ${earlier}, resumes_at = now() - interval '1 minute' ${one}`, id);
    const resumed = await eventually(
      async () => {
        await temporal.schedule.getHandle(RECONCILE_SCHEDULE).trigger();
        return recordOf(id);
      },
      ({ status }) => String(status) === 'active',
    );
    expect(resumed.paused_at).toBeNull();
  });

  test('since Postgres was restored from before a call that was answered: repeated it is done again', async () => {
    const { api } = account;
    const id = await inRealTime('answered');
    const pause = () => api.post(`/api/subscriptions/${id}/pause`, {}, { 'Idempotency-Key': `pause-${id}` });
    expect((await pause()).status).toBe(200);
    const one = 'WHERE account_id = $1 AND subscription_id = $2';
    await change(`DELETE FROM pauses ${one}`, id);
    await change(`UPDATE subscriptions SET status = 'active', paused_at = NULL ${one}`, id);
    await change('DELETE FROM operations WHERE account_id = $1');
    const again = await pause();
    expect([again.status, again.body.status], again.text).toEqual([200, 'paused']);
    expect((await pause()).text).toBe(again.text);
  });

  // spec/periods#order-at-one-instant
  test('what falls due for a customer at one instant is done in order, whichever workflow comes first', async () => {
    const { accountId, api } = account;
    const first = await inRealTime('in-order');
    const second = await subscribe(api, { customer_id: 'in-order', plan_id: await makePlan(api) });
    const credit = { customer_id: 'in-order', amount: 10 };
    expect((await api.post('/api/credits', credit)).status).toBe(201);
    const handle = temporal.workflow.getHandle(subscriptionWorkflowId({ accountId, subscriptionId: second }));
    await eventually(
      () => handle.query('next_steps').catch(() => []),
      (steps) => (steps as unknown[]).length > 0,
    );
    await change("UPDATE periods SET ends_at = date_trunc('milliseconds', now()) WHERE account_id = $1");
    // The first one's workflow does not know of it.
    await handle.signal('look_again');
    const invoices = await eventually(
      () => invoicesOf(api, 'customer_id=in-order'),
      (all) => all.length === 2,
    );
    expect(invoices).toMatchObject([
      { subscription_id: first, credits_applied: '10' },
      { subscription_id: second, credits_applied: '0' },
    ]);
  });

  test('a period ends in real time: the next one begins at once, calls are answered, the invoice comes after the grace', async () => {
    const { accountId, api } = account;
    expect((await api.patch('/api/account', { invoice_grace_seconds: 3 })).status).toBe(200);
    const id = await inRealTime('graced');
    const handle = temporal.workflow.getHandle(subscriptionWorkflowId({ accountId, subscriptionId: id }));
    await eventually(
      () => handle.query('next_steps').catch(() => []),
      (steps) => (steps as unknown[]).length > 0,
    );
    const load = async () => (await api.get(`/api/subscriptions/${id}`)).body;
    const before = await load();
    await change(
      `UPDATE periods SET ends_at = date_trunc('milliseconds', now()) + interval '2 seconds' WHERE account_id = $1 AND subscription_id = $2`,
      id,
    );
    await handle.signal('look_again');
    await eventually(load, ({ current_period_end }) => String(current_period_end) > String(before.current_period_end));
    const paused = await api.post(`/api/subscriptions/${id}/pause`, {});
    expect(paused.status, paused.text).toBe(200);
    const invoices = await eventually(
      () => invoicesOf(api, `subscription_id=${id}`),
      (all) => all.length > 0,
    );
    expect(invoices).toMatchObject([{ kind: 'period' }]);
    const [{ due }] = (
      await withPostgres((postgres) =>
        postgres.query('SELECT invoice_due_at AS due FROM periods WHERE account_id = $1 AND period_index = 0', [
          accountId,
        ]),
      )
    ).rows;
    expect(Date.parse(String(invoices[0]?.created_at))).toBeGreaterThanOrEqual(due);
  });

  // As after a restore of the records under workers that go on: what they remember of its closings is of records that are no more.
  test('an invoice that is due earlier by the records is made once its workflow looks again within the grace', async () => {
    const { accountId, api } = account;
    expect((await api.patch('/api/account', { invoice_grace_seconds: 3_600 })).status).toBe(200);
    const id = await inRealTime('earlier');
    const handle = temporal.workflow.getHandle(subscriptionWorkflowId({ accountId, subscriptionId: id }));
    const nextStep = () => handle.query<{ step: string }[]>('next_steps').catch(() => []);
    await eventually(nextStep, (steps) => steps.length > 0);
    const one = 'WHERE account_id = $1 AND subscription_id = $2';
    await change(`UPDATE periods SET ends_at = date_trunc('milliseconds', now()) ${one}`, id);
    await handle.signal('look_again');
    await eventually(nextStep, ([next]) => String(next?.step).includes('invoice'));
    await change(`UPDATE periods SET invoice_due_at = date_trunc('milliseconds', now()) ${one} AND waits`, id);
    await handle.signal('look_again');
    const invoices = await eventually(
      () => invoicesOf(api, `subscription_id=${id}`),
      (all) => all.length > 0,
    );
    expect(invoices).toMatchObject([{ kind: 'period' }]);
  });
});

test('a refund whose workflow was lost is followed to its end', async () => {
  const paying = await connectedAccount();
  const { payer, fields } = await newPayer('good');
  const customer_id = await makeCustomer(paying.api, payer, fields);
  await subscribe(paying.api, {
    customer_id,
    plan_id: await makePlan(paying.api, { charge_timing: 'in_advance' }),
  });
  const [invoice] = await eventually(
    () => invoicesOf(paying.api, `customer_id=${customer_id}`),
    ([first]) => String(first?.status) === 'paid',
  );
  const made = await paying.api.post('/api/refunds', { invoice_id: invoice?.invoice_id, amount: '10.07' });
  const load = async () => (await paying.api.get(`/api/refunds/${made.body.refund_id}`)).body;
  const sent = await eventually(load, ({ processor_refund_id }) => processor_refund_id !== null);
  expect(sent.status).toBe('pending');
  const { accountId } = paying;
  await temporal.workflow
    .getHandle(refundWorkflowId({ accountId, refundId: String(made.body.refund_id) }))
    .terminate('lost, for a test');
  await fakeStripe().settleRefund(String(sent.processor_refund_id), 'succeeded');
  const settled = await eventually(
    async () => {
      await temporal.schedule.getHandle(RECONCILE_SCHEDULE).trigger();
      return load();
    },
    ({ status }) => String(status) !== 'pending',
  );
  expect(settled.status).toBe('succeeded');
});
