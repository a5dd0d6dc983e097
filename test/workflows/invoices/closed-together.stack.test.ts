import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runDueSteps } from '../../../workflows/activities/run-due-steps.ts';
import type { WorkflowClient } from '../../../workflows/client.ts';
import { subscriptionWorkflowId } from '../../../workflows/workflow-ids.ts';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import { itemsOf, stack } from '../../stack/api.ts';
import { billOf, draftOf, rowsOf, trackCalls } from '../../stack/bills.ts';
import { advance, eventually, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric, posted } from '../../stack/resources.ts';
import { connectActivities } from '../activity-fixture.ts';

/** What falls due for a customer at one instant is closed by whichever of its workflows comes first, in order (spec/periods#order-at-one-instant). */
let account: TestAccount;
let connection: Connection;
let temporal: Client;

beforeAll(async () => {
  account = await newAccount({ isPatient: true });
  connection = await Connection.connect({ address: stack().temporal_address });
  temporal = new Client({ connection });
});
afterAll(() => connection.close());

const handleOf = (subscriptionId: string) =>
  temporal.workflow.getHandle(subscriptionWorkflowId({ accountId: account.accountId, subscriptionId }));

test('six subscriptions that renew, end, are switched and are paused: the invoices are those of the draft, and each workflow knows', async () => {
  const { api } = account;
  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  const customer_id = await makeCustomer(api, 'six', { test_clock_id: clock, tax_rate: 10 });
  const { metric_id } = await makeMetric(api);
  const subscriptions: string[] = [];
  for (const fee of [10, 20, 30, 40, 50, 60]) {
    const components = fee === 10 ? [{ metric_id, overage_price: 0.5 }] : [];
    const plan_id = await makePlan(api, { name: `Fee ${fee}`, recurring_fee: fee, components });
    subscriptions.push(await subscribe(api, { customer_id, plan_id, auto_renew: fee !== 40 }));
  }
  const [first = '', canceled = '', , expiring = '', switched = '', paused = ''] = subscriptions;
  const new_plan_id = await makePlan(api, { name: 'Fee 70', recurring_fee: 70 });
  const calls = [
    [`/api/subscriptions/${canceled}/cancel`, { cancel_at: 'end_of_period' }],
    [`/api/subscriptions/${switched}/switch_plan/`, { new_plan_id, effective_date: '2026-03-31' }],
    [`/api/subscriptions/${paused}/pause`, {}],
    // 10 + 60 * 0.5 and tax: 44 of it for the first, 22 for the second, the rest for the third.
    ['/api/credits', { customer_id, amount: 70 }],
  ] as const;
  for (const [path, body] of calls) expect((await api.post(path, body)).status, path).toBeLessThan(300);
  await trackCalls(api, customer_id, '2026-03-02T00:00:00Z', 60);
  await landed(api);

  const draft = itemsOf((await draftOf(api, customer_id)).invoices);
  expect(await advance(api, clock, '2026-04-01T00:00:00Z')).toMatchObject({ status: 'ready' });
  const issued = await invoicesOf(api, `customer_id=${customer_id}`);
  const drafted = draft.filter(({ subscription_id }) => String(subscription_id) !== paused);
  expect(issued.map(billOf)).toEqual(drafted.map(billOf));
  expect(issued.map(({ credits_applied }) => credits_applied)).toEqual(['44', '22', '4', '0', '0']);
  expect(issued.map(({ subscription_id }) => subscription_id)).toEqual(subscriptions.slice(0, 5));

  const after = { period_end: '2026-04-30 00:00:00 UTC', lives_on: 'a test clock' };
  for (const id of [first, subscriptions[2] ?? '']) {
    const state = await eventually(
      () => handleOf(id).query<Record<string, unknown>>('state'),
      ({ period_end }) => String(period_end) === after.period_end,
    );
    expect(state).toMatchObject({ ...after, status: 'active' });
  }
  for (const id of [canceled, expiring, switched]) {
    const described = await eventually(
      () => handleOf(id).describe(),
      ({ status: { name } }) => name !== 'RUNNING',
    );
    expect(described.status.name).toBe('COMPLETED');
  }
  expect(await handleOf(paused).query('state')).toMatchObject({ status: 'paused' });
});

// From 30 to 90 on day 10, 40 wait; paused from day 20 to 25, so that 60 * 5 / 30 are not used. Half is off once, on the first invoice.
test('what a switch has charged on the first invoice is taken back of that by the second, as drafted', async () => {
  const { api } = account;
  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  const to = (date: string) => advance(api, clock, `${date}T00:00:00Z`);
  const customer_id = await makeCustomer(api, 'two', { test_clock_id: clock });
  const [plan_id, cheap, new_plan_id] = [
    await makePlan(api, { recurring_fee: 10 }),
    await makePlan(api, { recurring_fee: 30 }),
    await makePlan(api, { recurring_fee: 90 }),
  ];
  const { coupon_id } = (await posted(api, '/api/coupons', { name: 'Half', percent_off: 50, duration: 'once' })).body;
  await subscribe(api, { customer_id, plan_id });
  const first = await subscribe(api, { customer_id, plan_id: cheap, discounts: [{ coupon_id }] });
  await to('2026-03-11');
  const { subscription_id } = (await posted(api, `/api/subscriptions/${first}/switch_plan`, { new_plan_id })).body;
  await to('2026-03-21');
  await posted(api, `/api/subscriptions/${subscription_id}/pause`);
  await to('2026-03-26');
  await posted(api, `/api/subscriptions/${subscription_id}/resume`);
  const drafted = itemsOf((await draftOf(api, customer_id)).invoices);
  await to('2026-03-31');
  const issued = await invoicesOf(api, `customer_id=${customer_id}`);
  expect(issued.map(rowsOf)).toEqual([
    ['recurring_fee 10 from 2026-03-01', 'proration 40 from 2026-03-11', 'discount -20 from 2026-03-01'],
    ['recurring_fee 25 from 2026-03-01', 'proration -5 from 2026-03-11'],
  ]);
  expect(issued.map(billOf)).toEqual(drafted.map(billOf));
  const [invoice] = issued;
  await posted(api, `/api/invoices/${invoice?.invoice_id}/mark_paid`);
  const refund = { invoice_id: invoice?.invoice_id, method: 'bank_transfer' };
  expect((await api.post('/api/refunds', refund)).exact).toMatchObject({ amount: '25' });
});

test('a repeat of the steps tells all that live on the clock: whom the first one did not tell before it was killed is not known', async () => {
  const { api, accountId } = account;
  const testClockId = await makeClock(api, '2026-03-01T00:00:00Z');
  const customer_id = await makeCustomer(api, 'repeated', { test_clock_id: testClockId });
  const subscriptions: string[] = [];
  for (const fee of [10, 20]) {
    const plan_id = await makePlan(api, { name: `Repeated ${fee}`, recurring_fee: fee });
    subscriptions.push(await subscribe(api, { customer_id, plan_id }));
  }
  await advance(api, testClockId, '2026-04-01T00:00:00Z');
  const { dependencies, close } = await connectActivities();
  const told: string[] = [];
  const lookAgain: WorkflowClient['lookAgain'] = async (ref, schedule) => {
    told.push(`${ref.subscriptionId} ${schedule?.periodEnd}`);
    await dependencies.workflows.lookAgain(ref, schedule);
  };
  const run = (isRepeat: boolean) => {
    const watched = { ...dependencies, workflows: { ...dependencies.workflows, lookAgain } };
    return runDueSteps(watched, { accountId, testClockId }, { cancelled: new AbortController().signal, isRepeat });
  };
  expect(await run(false)).toBe('arrived');
  expect(told).toEqual([]);
  expect(await run(true)).toBe('arrived');
  const ends = Date.parse('2026-04-30T00:00:00Z');
  expect(told.toSorted()).toEqual(subscriptions.toSorted().map((id) => `${id} ${ends}`));
  await close();
});

test('of ten subscriptions the one that was last told goes on as the first did', async () => {
  const { api } = account;
  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  const customer_id = await makeCustomer(api, 'ten', { test_clock_id: clock });
  const subscriptions: string[] = [];
  for (let i = 0; i < 10; i++) {
    const plan_id = await makePlan(api, { name: `Plan ${i}`, recurring_fee: 10 });
    subscriptions.push(await subscribe(api, { customer_id, plan_id }));
  }
  await advance(api, clock, '2026-04-01T00:00:00Z');
  // The one that had closed for the others ends: another's workflow does what is due next.
  expect((await api.post(`/api/subscriptions/${subscriptions[0]}/cancel`, {})).status).toBe(200);
  expect(await advance(api, clock, '2026-07-01T00:00:00Z')).toMatchObject({ status: 'ready' });
  const periods = await invoicesOf(api, `customer_id=${customer_id}&kind=period`);
  expect(periods).toHaveLength(10 + 9 * 3);
  const numbers = periods.map(({ invoice_number }) => String(invoice_number));
  expect(new Set(numbers).size).toBe(numbers.length);
});

/**
 * Two subscriptions are switched from 10 to 100 on day 0: 90 each on the next invoice, a third one's of 5 on day 10, in all 185. Of that 150 are refunded, 35
 * are left. Both are paused from day 10 to day 20 and close together: each would take back 30 for ten days not used, the second one
 * finds 5 left (spec/credits#given-back-once). 10 * 20 / 30 - 30 and - 5.
 */
test('what two of them take back of one invoice is no more than is left of it, as drafted', async () => {
  const { api } = account;
  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  const customer_id = await makeCustomer(api, 'back', { test_clock_id: clock });
  const post = async (path: string, body: object = {}) => {
    const answer = await api.post(path, body);
    expect(answer.status, answer.text).toBeLessThan(300);
  };
  const subscriptions: string[] = [];
  for (const name of ['A', 'B']) {
    const plan_id = await makePlan(api, { name, recurring_fee: 10 });
    const old = await subscribe(api, { customer_id, plan_id });
    const new_plan_id = await makePlan(api, { name: `${name} more`, recurring_fee: 100 });
    await post(`/api/subscriptions/${old}/switch_plan/`, { new_plan_id, invoicing_behavior: 'add_to_next_invoice' });
    subscriptions.push(String((await api.get(`/api/subscriptions/${old}`)).body.replaced_by));
  }
  const plan_id = await makePlan(api, { name: 'C', recurring_fee: 5 });
  await subscribe(api, { customer_id, plan_id, start_date: '2026-02-09', auto_renew: false });
  await advance(api, clock, '2026-03-11T00:00:00Z');
  const [shared] = await invoicesOf(api, `customer_id=${customer_id}`);
  expect(shared).toMatchObject({ total: '185' });
  await post(`/api/invoices/${shared?.invoice_id}/mark_paid`);
  await post('/api/refunds', { invoice_id: shared?.invoice_id, amount: 150 });
  for (const id of subscriptions) await post(`/api/subscriptions/${id}/pause`);
  await advance(api, clock, '2026-03-21T00:00:00Z');
  for (const id of subscriptions) await post(`/api/subscriptions/${id}/resume`);

  const drafted = itemsOf((await draftOf(api, customer_id)).invoices).map(({ total }) => total);
  await advance(api, clock, '2026-04-01T00:00:00Z');
  const issued = (await invoicesOf(api, `customer_id=${customer_id}&kind=period`)).map(({ total }) => total);
  expect(issued).toEqual(['-23.33', '1.67']);
  expect(drafted.slice(0, 2)).toEqual(issued);
});
