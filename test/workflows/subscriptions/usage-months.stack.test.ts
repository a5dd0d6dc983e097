import { beforeEach, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import { type Api, itemsOf, type Json } from '../../stack/api.ts';
import { billOf, draftOf, linesOf, rowsOf, trackCalls } from '../../stack/bills.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { accessWith, landed, makeMetric, posted } from '../../stack/resources.ts';
import { advance } from '../in-process-clock.ts';

/** Lives of plans with usage months (spec/periods#usage-months); each year begins on 2027-01-01. */

const MONTHS = { billing_period: 'annual', billing_calendar: 'anniversary', usage_period: 'monthly' };

let account: TestAccount;
let api: Api;
let clock: string;
let customer_id: string;

beforeEach(async () => {
  account = await newAccount();
  api = account.api;
  clock = await makeClock(api, '2027-01-01T00:00:00Z');
  customer_id = await makeCustomer(api, 'yearly', { test_clock_id: clock });
});

const issued = () => invoicesOf(api, `customer_id=${customer_id}`);
const recordOf = async (id: string) => (await api.get(`/api/subscriptions/${id}`)).body;
const totalsOf = (invoices: readonly Json[]) => invoices.map(({ total }) => String(total));
const day = (at: unknown) => String(at).slice(0, 10);

test('months bill usage by themselves, their year the fee and add-ons; late usage and access are of a month', async () => {
  const { metric_id } = await makeMetric(api, {});
  const components = [{ metric_id, free_tier: 10, overage_price: 1 }];
  const features = [{ name: 'calls', included: true, limit: 30, metric_id }];
  const plan_id = await makePlan(api, { recurring_fee: 120, ...MONTHS, components, features });
  const subscription = await subscribe(api, { customer_id, plan_id });
  const addon = await posted(api, '/api/addons', { name: 'Support', kind: 'recurring', price: 9 });
  const { addon_id } = addon.body;
  await posted(api, `/api/subscriptions/${subscription}/addons/attach`, { addon_id });
  await trackCalls(api, customer_id, '2027-01-10T00:00:00Z', 25);
  await trackCalls(api, customer_id, '2027-02-10T00:00:00Z', 25);
  await landed(api);
  const january = await draftOf(api, customer_id);
  await advance(api, clock, '2027-02-20T00:00:00Z');
  const access = await accessWith(api, customer_id, String(metric_id), 25);
  expect(access).toMatchObject({ access: true, limit: 30, resets_at: '2027-03-01T00:00:00.000Z' });

  await advance(api, clock, '2027-03-02T00:00:00Z');
  const first = await issued();
  expect(first.map(rowsOf)).toEqual([['usage x25 15 from 2027-01-01'], ['usage x25 15 from 2027-02-01']]);
  expect(first.map(({ period_start, period_end }) => [day(period_start), day(period_end)])).toEqual([
    ['2027-01-01', '2027-02-01'],
    ['2027-02-01', '2027-03-01'],
  ]);
  expect(billOf(january)).toEqual(billOf(first[0]));
  expect(await recordOf(subscription)).toMatchObject({
    current_period_start: '2027-01-01T00:00:00.000Z',
    current_period_end: '2028-01-01T00:00:00.000Z',
    current_usage_period_start: '2027-03-01T00:00:00.000Z',
    current_usage_period_end: '2027-04-01T00:00:00.000Z',
    days_in_period: 365,
  });
  const timeline = itemsOf((await api.get(`/api/subscriptions/${subscription}/timeline`)).body.results);
  expect(timeline.map(({ kind, status, at }) => `${day(at)} ${kind} ${status}`)).toEqual([
    '2028-01-01 renewed planned',
    '2027-04-01 usage_month_begun planned',
    '2027-03-01 usage_month_begun done',
    '2027-03-01 invoiced done',
    '2027-02-01 usage_month_begun done',
    '2027-02-01 invoiced done',
    '2027-01-01 activated done',
    '2027-01-01 created done',
  ]);

  await trackCalls(api, customer_id, '2027-01-20T00:00:00Z', 2);
  await landed(api);
  const march = await draftOf(api, customer_id);
  await advance(api, clock, '2028-02-01T00:00:00Z');
  const all = await issued();
  expect(all.map(({ kind }) => kind)).toEqual(Array(13).fill('period'));
  expect(rowsOf(all[2])).toEqual(['usage x0 0 from 2027-03-01', 'late_usage x2 2 from 2027-01-01']);
  expect(billOf(march)).toEqual(billOf(all[2]));
  expect(rowsOf(all[11])).toEqual([
    'recurring_fee 120 from 2027-01-01',
    'usage x0 0 from 2027-12-01',
    'addon 9 from 2027-01-01',
  ]);
  expect(totalsOf(all)).toEqual(['15', '15', '2', ...Array(8).fill('0'), '129', '0']);
  const events = itemsOf((await api.get('/api/audit-log?action=subscription.renewed')).body.results);
  expect(events).toHaveLength(1);
});

test('a pause, a switch and a cancel within the year sum to its days by the fee of each, and to the usage of its months', async () => {
  const { metric_id } = await makeMetric(api, {});
  const components = [{ metric_id, overage_price: 1 }];
  const plan_id = await makePlan(api, { recurring_fee: 365, ...MONTHS, components });
  const new_plan_id = await makePlan(api, { recurring_fee: 730, ...MONTHS, components });
  const first = await subscribe(api, { customer_id, plan_id });
  await trackCalls(api, customer_id, '2027-01-10T00:00:00Z', 4);
  await trackCalls(api, customer_id, '2027-02-05T00:00:00Z', 5);
  await trackCalls(api, customer_id, '2027-03-05T00:00:00Z', 3);
  await trackCalls(api, customer_id, '2027-03-15T00:00:00Z', 2);
  await landed(api);
  await advance(api, clock, '2027-01-20T00:00:00Z');
  await posted(api, `/api/subscriptions/${first}/pause`, { resumes_at: '2027-02-10' });
  await advance(api, clock, '2027-03-11T00:00:00Z');
  const switched = await posted(api, `/api/subscriptions/${first}/switch_plan`, { new_plan_id });
  expect(switched.body).toMatchObject({
    start_date: '2027-01-01',
    proration: { amount: 296, days_remaining: 296, days_in_period: 365 },
    current_usage_period_end: '2027-04-01T00:00:00.000Z',
  });
  const drafted = await draftOf(api, customer_id);
  await advance(api, clock, '2027-05-06T00:00:00Z');
  const march = (await issued())[2];
  expect(rowsOf(march)).toEqual(['usage x5 5 from 2027-03-01', 'proration 296 from 2027-03-11']);
  expect(billOf(drafted)).toEqual(billOf(march));
  const id = String(switched.body.subscription_id);
  await posted(api, `/api/subscriptions/${id}/cancel`, { invoicing_behavior: 'invoice_now' });
  const all = await issued();
  // 19 days until the pause and 29 from the resume on at 1, 56 at 2; 4 calls in January and 5 in March.
  const net = all.reduce((sum, { total }) => sum + Number(total), 0);
  expect(net).toBe(19 + 29 + 112 + 4 + 5);
  expect(all.map(({ kind }) => kind)).toEqual(['period', 'period', 'period', 'period', 'closing']);
});

test('in advance: prepaid units each month; a cancel planned for a month’s end comes with its invoice and gives the rest of the year back', async () => {
  const { metric_id } = await makeMetric(api, {});
  const components = [{ metric_id, overage_price: 1, prepaid_units: 100 }];
  const fixed = { ...MONTHS, billing_calendar: 'fixed_days', charge_timing: 'in_advance' };
  const plan_id = await makePlan(api, { recurring_fee: 365, ...fixed, components });
  const subscription = await subscribe(api, { customer_id, plan_id });
  await trackCalls(api, customer_id, '2027-02-05T00:00:00Z', 120);
  await landed(api);
  await advance(api, clock, '2027-02-06T00:00:00Z');
  expect((await recordOf(subscription)).prepaid_units).toMatchObject([{ units: 100, used: 100, remaining: 0 }]);
  await posted(api, `/api/subscriptions/${subscription}/cancel`, { cancel_at: '2027-03-02' });
  const drafted = await draftOf(api, customer_id);
  await advance(api, clock, '2027-04-15T00:00:00Z');
  const all = await issued();
  expect(all.map(({ kind }) => kind)).toEqual(['opening', 'period', 'closing']);
  expect(all.map(rowsOf)).toEqual([
    ['recurring_fee 365 from 2027-01-01', 'prepaid_units x100 100 from 2027-01-01'],
    ['usage x0 0 from 2027-01-01', 'prepaid_units x100 100 from 2027-01-31'].toReversed(),
    ['usage x120 20 from 2027-01-31'],
  ]);
  expect(billOf(drafted)).toEqual(billOf(all[2]));
  // 60 of 365 days were used; the opening invoice was open and takes it at once.
  expect(all[0]).toMatchObject({ credits_applied: '305', amount_due: '160' });
  expect(await recordOf(subscription)).toMatchObject({ status: 'canceled', canceled_at: '2027-03-02T00:00:00.000Z' });
});

test('a switch planned for a month’s end comes behind its invoice; one to whole periods closes the year', async () => {
  const plan_id = await makePlan(api, { recurring_fee: 365, ...MONTHS });
  const dearer = await makePlan(api, { recurring_fee: 730, ...MONTHS });
  const whole = await makePlan(api, { recurring_fee: 366, ...MONTHS, usage_period: 'billing_period' });
  const first = await subscribe(api, { customer_id, plan_id });
  const planned = { new_plan_id: dearer, effective_date: '2027-03-01' };
  await posted(api, `/api/subscriptions/${first}/switch_plan`, planned);
  await advance(api, clock, '2027-04-10T00:00:00Z');
  expect((await issued()).map(rowsOf)).toEqual([[], [], ['proration 306 from 2027-03-01']]);
  const { replaced_by } = await recordOf(first);
  const closed = await posted(api, `/api/subscriptions/${replaced_by}/switch_plan`, { new_plan_id: whole });
  expect(closed.body).toMatchObject({
    proration: null,
    current_period_start: '2027-04-10T00:00:00.000Z',
    current_usage_period_end: '2028-04-10T00:00:00.000Z',
  });
  const closing = (await issued()).at(-1);
  // 99 days of 365; of the 306 days that the switch charged 40 were used.
  expect(linesOf(closing).map(({ type, amount }) => `${type} ${amount}`)).toEqual([
    'recurring_fee 99',
    'proration -266',
  ]);
});

test('bad input', async () => {
  const plan = { name: 'Pro', billing_period: 'annual' };
  const bad = await api.post('/api/plans', { ...plan, usage_period: 'weekly' });
  expect([bad.status, bad.body]).toEqual([422, { usage_period: ['Must be one of billing_period, monthly.'] }]);
  const made = await posted(api, '/api/plans', { ...plan, usage_period: 'monthly' });
  expect(made.body).toMatchObject({ usage_period: 'monthly' });
  expect((await posted(api, '/api/plans', plan)).body).toMatchObject({ usage_period: 'billing_period' });
  expect((await api.patch(`/api/plans/${made.body.plan_id}`, { usage_period: 'monthly' })).status).toBe(422);
});
