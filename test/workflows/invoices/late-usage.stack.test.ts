import { beforeEach, describe, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import { type Api, itemsOf, type Json } from '../../stack/api.ts';
import { billOf, draftOf, linesOf, rowsOf, trackCalls } from '../../stack/bills.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric, posted } from '../../stack/resources.ts';
import { advance } from '../in-process-clock.ts';

/** Periods from 2026-03-01: March ends on 03-31, April on 04-30, May on 05-30, June on 06-29. */
const APRIL = '2026-04-01T00:00:00Z';
const MAY = '2026-05-01T00:00:00Z';
const JUNE = '2026-06-01T00:00:00Z';

let account: TestAccount;
let api: Api;
let clock: string;
let customer_id: string;

beforeEach(async () => {
  account = await newAccount();
  api = account.api;
  clock = await makeClock(api, '2026-03-01T00:00:00Z');
  customer_id = await makeCustomer(api, 'late', { test_clock_id: clock, tax_rate: 20 });
});

/** Subscribes to a plan without a fee that bills one metric by `price`. */
async function subscribeTo(price: object, metric: object = {}, more: object = {}) {
  const { metric_id } = await makeMetric(api, metric);
  const plan_id = await makePlan(api, { recurring_fee: 0, components: [{ metric_id, ...price }] });
  return { subscription: await subscribe(api, { customer_id, plan_id, ...more }), plan_id, metric_id };
}

const lateRows = (invoice: Json | undefined) => rowsOf(invoice).filter((row) => row.startsWith('late_usage'));
const last = async (subscription: string) => (await invoicesOf(api, `subscription_id=${subscription}`)).at(-1);
const pay = async (subscription: string) =>
  posted(api, `/api/invoices/${(await last(subscription))?.invoice_id}/mark_paid`);

test('an event for a billed period is a line on the next invoice, once, taxed, naming the period', async () => {
  const { subscription, plan_id, metric_id } = await subscribeTo({ overage_price: 0.1 });
  await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 10);
  await advance(api, clock, APRIL);
  expect(rowsOf(await last(subscription))).toEqual(['usage x10 1 from 2026-03-01']);

  await trackCalls(api, customer_id, '2026-03-30T23:59:59.999Z', 5);
  await trackCalls(api, customer_id, '2026-03-31T00:00:00Z', 3);
  await landed(api);
  const draft = await draftOf(api, customer_id);
  await advance(api, clock, MAY);
  // 3 * 0.1 + 5 * 0.1 = 0.8, tax 20 % = 0.16
  const april = await last(subscription);
  expect(rowsOf(april)).toEqual(['usage x3 0.3 from 2026-03-31', 'late_usage x5 0.5 from 2026-03-01']);
  expect(april).toMatchObject({ subtotal: '0.8', tax_amount: '0.16', total: '0.96' });
  expect(linesOf(april)[1]).toMatchObject({
    subscription_id: subscription,
    plan_id,
    metric_id,
    version: '1',
    period_start: '2026-03-01T00:00:00.000Z',
    period_end: '2026-03-31T00:00:00.000Z',
    events_count: '5',
    unit_price: '0.1',
  });
  expect(billOf(draft)).toEqual(billOf(april));

  // Two closed periods at once; what was counted before is not counted again.
  await trackCalls(api, customer_id, '2026-03-02T00:00:00Z', 1);
  await trackCalls(api, customer_id, '2026-04-02T00:00:00Z', 2);
  await advance(api, clock, JUNE);
  expect(rowsOf(await last(subscription))).toEqual([
    'usage x0 0 from 2026-04-30',
    'late_usage x1 0.1 from 2026-03-01',
    'late_usage x2 0.2 from 2026-03-31',
  ]);
  await advance(api, clock, '2026-07-01T00:00:00Z');
  expect(rowsOf(await last(subscription))).toEqual(['usage x0 0 from 2026-05-30']);
});

test('late_usage "ignore" is read when the next invoice is made, and what it ignored stays ignored', async () => {
  const { subscription } = await subscribeTo({ overage_price: 0.1 });
  await advance(api, clock, APRIL);
  await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 5);
  expect((await api.patch('/api/account', { late_usage: 'ignore' })).status).toBe(200);
  await landed(api);
  expect(lateRows(await draftOf(api, customer_id))).toEqual([]);
  await advance(api, clock, MAY);
  expect(lateRows(await last(subscription))).toEqual([]);

  expect((await api.patch('/api/account', { late_usage: 'next_invoice' })).status).toBe(200);
  await trackCalls(api, customer_id, '2026-03-06T00:00:00Z', 2);
  await advance(api, clock, JUNE);
  expect(lateRows(await last(subscription))).toEqual(['late_usage x2 0.2 from 2026-03-01']);
});

test.each([
  ['next_invoice', 'ignore', []],
  ['ignore', 'next_invoice', ['late_usage x5 0.5 from 2026-03-01']],
])('what a cancel leaves for the next invoice: %s at the cancel, %s when that is made', async (before, then, rows) => {
  const { subscription } = await subscribeTo({ overage_price: 0.1 });
  const other = await subscribe(api, { customer_id, plan_id: await makePlan(api, { recurring_fee: 1 }) });
  await advance(api, clock, APRIL);
  await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 5);
  const setting = (late_usage: string) => api.patch('/api/account', { late_usage });
  expect((await setting(before)).status).toBe(200);
  expect((await api.post(`/api/subscriptions/${subscription}/cancel`, {})).status).toBe(200);
  expect((await setting(then)).status).toBe(200);
  expect(lateRows(await draftOf(api, customer_id))).toEqual(rows);
  await advance(api, clock, MAY);
  expect(lateRows(await last(other))).toEqual(rows);
  // Taken by that invoice, billed or not.
  expect((await setting('next_invoice')).status).toBe(200);
  await advance(api, clock, JUNE);
  expect(lateRows(await last(other))).toEqual([]);
});

describe('the signed difference of the charge', () => {
  test('by volume it may be negative, down to an invoice whose rest is a credit', async () => {
    const tiers = [
      { up_to: 10, unit_price: 1 },
      { up_to: null, unit_price: 0.5 },
    ];
    const { subscription } = await subscribeTo({ pricing_model: 'volume', tiers });
    await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 10);
    await advance(api, clock, APRIL);
    expect((await last(subscription))?.total).toBe('12');
    await pay(subscription);
    await trackCalls(api, customer_id, '2026-03-06T00:00:00Z', 5);
    await advance(api, clock, MAY);
    // 15 * 0.5 - 10 * 1 = -2.5, tax -0.5 as it was charged with; the rest is an overpayment credit.
    const april = await last(subscription);
    expect(rowsOf(april)).toEqual(['usage x0 0 from 2026-03-31', 'late_usage x5 -2.5 from 2026-03-01']);
    expect(april).toMatchObject({ subtotal: '-2.5', tax_amount: '-0.5', total: '-3', amount_due: '0', status: 'paid' });
    const credits = await api.get(`/api/credits?customer_id=${customer_id}`);
    expect(credits.exact.results).toMatchObject([{ amount: '3', reason: 'overpayment_credit', status: 'active' }]);
  });

  test('of a sum: a negative value takes back', async () => {
    const metric = { aggregation_type: 'sum', property_name: 'gb' };
    const { subscription } = await subscribeTo({ overage_price: 2, free_tier: 1 }, metric);
    await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 1, { gb: 4.5 });
    await advance(api, clock, APRIL);
    await pay(subscription);
    await trackCalls(api, customer_id, '2026-03-06T00:00:00Z', 1, { gb: -2.25 });
    await advance(api, clock, MAY);
    // (4.5 - 1) * 2 = 7, (2.25 - 1) * 2 = 2.5: -4.5
    expect(lateRows(await last(subscription))).toEqual(['late_usage x-2.25 -4.5 from 2026-03-01']);
  });

  test('of a max: a lower value changes nothing, a higher one does', async () => {
    const metric = { aggregation_type: 'max', property_name: 'seats' };
    const { subscription } = await subscribeTo({ overage_price: 2 }, metric);
    await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 1, { seats: 5 });
    await advance(api, clock, APRIL);
    await trackCalls(api, customer_id, '2026-03-06T00:00:00Z', 1, { seats: 4 });
    await advance(api, clock, MAY);
    expect(lateRows(await last(subscription))).toEqual([]);
    await trackCalls(api, customer_id, '2026-03-06T00:00:00Z', 1, { seats: 8 });
    await advance(api, clock, JUNE);
    expect(lateRows(await last(subscription))).toEqual(['late_usage x3 6 from 2026-03-01']);
  });

  test('prepaid units of that period are not billed again', async () => {
    const { subscription } = await subscribeTo({ overage_price: 1, prepaid_units: 10 });
    await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 8);
    await advance(api, clock, APRIL);
    await trackCalls(api, customer_id, '2026-03-06T00:00:00Z', 5);
    await advance(api, clock, MAY);
    // 13 - 10 prepaid = 3 beyond; 8 were within
    expect(lateRows(await last(subscription))).toEqual(['late_usage x5 3 from 2026-03-01']);
  });
});

test('rated by the plan version of the period, whatever the plan says now', async () => {
  const { subscription, plan_id, metric_id } = await subscribeTo({ overage_price: 0.1 });
  await advance(api, clock, APRIL);
  const changed = await api.patch(`/api/plans/${plan_id}`, { components: [{ metric_id, overage_price: 9 }] });
  expect(changed.body.version).toBe(2);
  await trackCalls(api, customer_id, '2026-03-06T00:00:00Z', 2);
  await advance(api, clock, MAY);
  expect(lateRows(await last(subscription))).toEqual(['late_usage x2 0.2 from 2026-03-01']);
});

test('after the last period it is on any later invoice of the customer', async () => {
  const ended = await subscribeTo({ overage_price: 0.1 }, {}, { auto_renew: false });
  const other = await subscribe(api, { customer_id, plan_id: await makePlan(api, { recurring_fee: 7 }) });
  const third = await subscribe(api, { customer_id, plan_id: await makePlan(api, { recurring_fee: 8 }) });
  await advance(api, clock, APRIL);
  await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 5);
  // Outside its life: not even late.
  await trackCalls(api, customer_id, '2026-04-05T00:00:00Z', 5);
  await advance(api, clock, MAY);
  const invoices = [
    ...(await invoicesOf(api, `subscription_id=${other}`)),
    ...(await invoicesOf(api, `subscription_id=${third}`)),
  ];
  const late = invoices.flatMap(linesOf).filter(({ type }) => String(type) === 'late_usage');
  expect(late).toMatchObject([{ subscription_id: ended.subscription, quantity: '5', amount: '0.5' }]);
  await advance(api, clock, JUNE);
  for (const subscription of [other, third]) expect(lateRows(await last(subscription))).toEqual([]);
});

test('after the last period, while no later invoice has taken it, it is kept in the timeline', async () => {
  const { subscription } = await subscribeTo({ overage_price: 0.1 }, { metric_name: 'Calls' }, { auto_renew: false });
  const lateSteps = async () => {
    const { body } = await api.get(`/api/subscriptions/${subscription}/timeline`);
    const steps = itemsOf(body.results);
    expect(body.count).toBe(steps.length);
    return steps.filter(({ kind }) => String(kind) === 'late_usage');
  };
  await advance(api, clock, APRIL);
  expect(await lateSteps()).toEqual([]);
  await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 5);
  await landed(api);
  const kept = { at: '2026-03-31T00:00:00.000Z', status: 'done', due_at: null, invoice_id: null };
  expect(await lateSteps()).toEqual([
    { ...kept, kind: 'late_usage', detail: 'Calls: late usage, 5 units, for a later invoice' },
  ]);

  const other = await subscribe(api, { customer_id, plan_id: await makePlan(api, { recurring_fee: 7 }) });
  await advance(api, clock, JUNE);
  expect(lateRows((await invoicesOf(api, `subscription_id=${other}`))[0])).toEqual([
    'late_usage x5 0.5 from 2026-03-01',
  ]);
  expect(await lateSteps()).toEqual([]);
});

test('parts of a period share their prepaid units with what comes late (spec/prepaid-units#shared-by-a-period)', async () => {
  const { metric_id } = await makeMetric(api);
  const components = [{ metric_id, overage_price: 1, prepaid_units: 100 }];
  const [plan_id, new_plan_id] = [
    await makePlan(api, { recurring_fee: 0, components }),
    await makePlan(api, { recurring_fee: 0, components }),
  ];
  const subscription = await subscribe(api, { customer_id, plan_id });
  await advance(api, clock, '2026-03-11T00:00:00Z');
  await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 60);
  const switched = await api.post(`/api/subscriptions/${subscription}/switch_plan/`, {
    ...{ new_plan_id, usage_behavior: 'reset_usage' },
  });
  expect(switched.status, switched.text).toBe(200);
  const successor = String(switched.body.subscription_id);
  await trackCalls(api, customer_id, '2026-03-20T00:00:00Z', 60);
  await advance(api, clock, '2026-03-31T00:00:00Z');
  expect(rowsOf(await last(successor)).filter((row) => row.startsWith('usage'))).toEqual([
    'usage x60 0 from 2026-03-01',
    'usage x60 20 from 2026-03-11',
  ]);

  await trackCalls(api, customer_id, '2026-03-06T00:00:00Z', 30);
  await landed(api);
  const draft = await draftOf(api, customer_id);
  await advance(api, clock, '2026-04-30T00:00:00Z');
  const april = await last(successor);
  expect(lateRows(april)).toEqual(['late_usage x30 0 from 2026-03-01', 'late_usage x0 30 from 2026-03-11']);
  expect(billOf(draft)).toEqual(billOf(april));
  const [, moved] = linesOf(april).filter(({ type }) => String(type) === 'late_usage');
  const explained = await api.get(`/api/invoices/${april?.invoice_id}/lines/${moved?.line_id}/explain`);
  const steps = itemsOf(explained.body.steps);
  expect(steps.at(-1)).toMatchObject({ step: 'late', value: 30 });
  const range = 'start_date=2026-03-01&end_date=2026-05-30';
  const analysis = await api.get(`/api/customers/${customer_id}/cost_analysis/?${range}`);
  expect(analysis.status, analysis.text).toBe(200);

  // It is counted once.
  await trackCalls(api, customer_id, '2026-03-21T00:00:00Z', 5);
  await advance(api, clock, '2026-05-30T00:00:00Z');
  expect(lateRows(await last(successor))).toEqual(['late_usage x5 5 from 2026-03-11']);
});
