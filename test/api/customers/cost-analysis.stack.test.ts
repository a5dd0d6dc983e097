import { beforeEach, describe, expect, test } from 'vitest';
import { decimal, sum, toPlain } from '../../../core/decimal.ts';
import { newAccount } from '../../stack/accounts.ts';
import { type Api, itemsOf, type Json } from '../../stack/api.ts';
import { draftOf, trackCalls } from '../../stack/bills.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric } from '../../stack/resources.ts';
import { advance } from '../../workflows/in-process-clock.ts';

let api: Api;
let clock: string;
let customer_id: string;

beforeEach(async () => {
  api = (await newAccount()).api;
  clock = await makeClock(api, '2026-03-01T00:00:00Z');
  customer_id = await makeCustomer(api, 'acme', { test_clock_id: clock, tax_rate: 20 });
});

async function analysis(query: string, customer = customer_id): Promise<Json> {
  const answer = await api.get(`/api/customers/${customer}/cost_analysis/?${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.exact;
}

const daysOf = (answer: Json) => itemsOf(answer.per_day);
const earning = (answer: Json) =>
  daysOf(answer).flatMap(({ date, revenue }) => (String(revenue) === '0' ? [] : [`${date} ${revenue}`]));
const add = (amounts: unknown[]) => toPlain(sum(amounts.map((amount) => decimal(String(amount)))));

describe('GET /api/customers/<id>/cost_analysis/', () => {
  test('a fee falls evenly on its days, usage on the days that caused it, costs on theirs', async () => {
    const calls = await makeMetric(api);
    const gpu = { metric_name: 'GPU', aggregation_type: 'sum', event_name: 'call', property_name: 'gpu' };
    const cost = await makeMetric(api, { ...gpu, is_cost_metric: true, unit_cost: 0.125 });
    const tiers = [
      { up_to: 4, unit_price: 1 },
      { up_to: null, unit_price: 0.5 },
    ];
    const components = [{ metric_id: calls.metric_id, pricing_model: 'tiered', tiers, free_tier: 1 }];
    await subscribe(api, { customer_id, plan_id: await makePlan(api, { recurring_fee: 10, components }) });
    await trackCalls(api, customer_id, '2026-03-02T10:00:00Z', 3, { gpu: 2 });
    await trackCalls(api, customer_id, '2026-03-05T23:59:59Z', 4);
    await landed(api);
    await advance(api, clock, '2026-04-01T00:00:00Z');
    const march = await analysis('start_date=2026-03-01&end_date=2026-03-30');
    // Beyond 1 free: 2 at 1 on the 2nd; then 2 more at 1 and 2 at 0.5 on the 5th. A fee of 10 is 0.33 or 0.34 a day.
    expect(
      daysOf(march)
        .slice(0, 5)
        .map(({ date, revenue, cost, margin }) => [date, revenue, cost, margin]),
    ).toEqual([
      ['2026-03-01', '0.33', '0', '0.33'],
      ['2026-03-02', '2.34', '0.75', '1.59'],
      ['2026-03-03', '0.33', '0', '0.33'],
      ['2026-03-04', '0.33', '0', '0.33'],
      ['2026-03-05', '3.34', '0', '3.34'],
    ]);
    expect(daysOf(march)[1]?.cost_data).toEqual([
      { metric_id: cost.metric_id, metric_name: 'GPU', usage: '6', cost: '0.75' },
    ]);
    const [invoice] = await invoicesOf(api, `customer_id=${customer_id}`);
    expect(march).toMatchObject({
      customer_id,
      currency: { code: 'USD' },
      start_date: '2026-03-01',
      end_date: '2026-03-30',
      total_revenue: invoice?.subtotal,
      total_cost: '0.75',
      total_margin: '14.25',
      profit_margin: '0.95',
    });
    expect(daysOf(march)).toHaveLength(30);
  });

  test("over whole lives the sums equal the invoices' subtotals and the draft's, with everything that can be on a bill", async () => {
    const calls = await makeMetric(api);
    const most = await makeMetric(api, { aggregation_type: 'max', property_name: 'size' });
    const users = await makeMetric(api, { aggregation_type: 'unique', property_name: 'user' });
    const components = [
      { metric_id: calls.metric_id, overage_price: 0.333, prepaid_units: 5, rounding: 'round_up' },
      { metric_id: most.metric_id, pricing_model: 'package', package_size: 3, overage_price: 1.01 },
      { metric_id: users.metric_id, overage_price: 7 },
    ];
    const plan = { recurring_fee: 29.99, components, charge_timing: 'in_advance' };
    const subscription = await subscribe(api, { customer_id, plan_id: await makePlan(api, plan) });
    const other = await subscribe(api, { customer_id, plan_id: await makePlan(api, { recurring_fee: 3.5 }) });
    for (const [name, kind] of [
      ['Setup', 'one_time'],
      ['Seats', 'quantity'],
    ]) {
      const addon = await api.post('/api/addons', { name, kind, price: 4.99 });
      const body = { addon_id: addon.body.addon_id, ...(kind === 'quantity' && { quantity: 3 }) };
      expect((await api.post(`/api/subscriptions/${subscription}/addons/attach`, body)).status).toBe(200);
    }
    const send = async (day: string, n: number) => {
      await trackCalls(api, customer_id, `${day}T12:00:00Z`, n, { size: n * 2, user: `u${n % 3}` });
    };
    for (const [day, n] of [
      ['2026-03-02', 3],
      ['2026-03-03', 4],
      ['2026-03-20', 1],
      ['2026-04-02', 2],
    ] as const) {
      await send(day, n);
    }
    await advance(api, clock, '2026-03-10T00:00:00Z');
    expect((await api.post(`/api/subscriptions/${subscription}/pause`)).status).toBe(200);
    await advance(api, clock, '2026-03-12T00:00:00Z');
    expect((await api.post(`/api/subscriptions/${subscription}/resume`)).status).toBe(200);
    await advance(api, clock, '2026-04-05T00:00:00Z');
    await send('2026-03-25', 8);
    await advance(api, clock, '2026-05-10T00:00:00Z');
    await send('2026-05-05', 5);
    await send('2026-04-20', 6);
    expect((await api.post(`/api/subscriptions/${other}/cancel`)).status).toBe(200);
    await landed(api);

    const [invoices, draft] = [await invoicesOf(api, `customer_id=${customer_id}`), await draftOf(api, customer_id)];
    expect(invoices.length).toBeGreaterThan(4);
    expect(invoices.flatMap(({ lines }) => itemsOf(lines)).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['recurring_fee', 'prepaid_units', 'usage', 'addon', 'late_usage']),
    );
    const whole = await analysis('start_date=2026-03-01&end_date=2026-12-31');
    expect(whole.total_revenue).toBe(add([...invoices, draft].map(({ subtotal }) => subtotal)));
    expect(add(daysOf(whole).map(({ revenue }) => revenue))).toBe(whole.total_revenue);

    const parts = [];
    for (const range of [
      '2026-03-01&end_date=2026-03-24',
      '2026-03-25&end_date=2026-05-10',
      '2026-05-11&end_date=2026-12-31',
    ]) {
      parts.push((await analysis(`start_date=${range}`)).total_revenue);
    }
    expect(add(parts)).toBe(whole.total_revenue);

    // A void takes its revenue away.
    const open = invoices.find(({ status }) => String(status) === 'open');
    expect((await api.post(`/api/invoices/${open?.invoice_id}/void`)).status).toBe(200);
    const after = await analysis('start_date=2026-03-01&end_date=2026-12-31');
    expect(add([after.total_revenue, open?.subtotal])).toBe(whole.total_revenue);
  });

  test('what is charged once earns on the day on which it was attached, before its invoice and after', async () => {
    const subscription = await subscribe(api, { customer_id, plan_id: await makePlan(api, { recurring_fee: 0 }) });
    await advance(api, clock, '2026-03-05T09:00:00Z');
    const addon = await api.post('/api/addons', { name: 'Setup', kind: 'one_time', price: 50 });
    const attached = await api.post(`/api/subscriptions/${subscription}/addons/attach`, {
      addon_id: addon.body.addon_id,
    });
    expect(attached.status).toBe(200);
    const period = 'start_date=2026-03-01&end_date=2026-03-30';
    expect(earning(await analysis(period))).toEqual(['2026-03-05 50']);
    await advance(api, clock, '2026-04-01T00:00:00Z');
    expect(earning(await analysis(period))).toEqual(['2026-03-05 50']);
  });

  test('days not billed yet are projected by the draft; days are those of the customer', async () => {
    const tokyo = await makeCustomer(api, 'tokyo', { test_clock_id: clock, timezone: 'Asia/Tokyo' });
    const metric = await makeMetric(api);
    const plan = { recurring_fee: 0, components: [{ metric_id: metric.metric_id, overage_price: 2 }] };
    await subscribe(api, { customer_id: tokyo, plan_id: await makePlan(api, plan) });
    await trackCalls(api, tokyo, '2026-03-02T14:59:59Z', 1);
    await trackCalls(api, tokyo, '2026-03-02T15:00:00Z', 2);
    await landed(api);
    const days = await analysis('start_date=2026-03-01&end_date=2026-03-10', tokyo);
    expect(earning(days)).toEqual(['2026-03-02 2', '2026-03-03 4']);
  });

  test('a price book of which a period used no row brings in nothing', async () => {
    const { metric_id } = await makeMetric(api);
    const prices = [{ when: { model: 'large' }, overage_price: 1 }];
    const components = [{ metric_id, group_by: ['model'], prices }];
    await subscribe(api, { customer_id, plan_id: await makePlan(api, { recurring_fee: 30, components }) });
    expect((await analysis('start_date=2026-03-01&end_date=2026-03-30')).total_revenue).toBe('30');
    await advance(api, clock, '2026-04-01T00:00:00Z');
    expect((await analysis('start_date=2026-03-01&end_date=2026-03-30')).total_revenue).toBe('30');
  });

  // "A discount lies on the days of what it lowers" (spec/cost-analysis#revenue)
  test('a discount lies on the days of what it lowers, projected and issued', async () => {
    const { metric_id } = await makeMetric(api);
    const components = [{ metric_id, overage_price: 1 }];
    const plan_id = await makePlan(api, { recurring_fee: 0, components });
    const coupon = { name: 'Fifth', percent_off: 20, duration: 'forever' };
    const { coupon_id } = (await api.post('/api/coupons', coupon)).body;
    await subscribe(api, { customer_id, plan_id, discounts: [{ coupon_id }] });
    await trackCalls(api, customer_id, '2026-03-02T10:00:00Z', 10);
    await trackCalls(api, customer_id, '2026-03-05T10:00:00Z', 1);
    await landed(api);
    const days = ['2026-03-02 8', '2026-03-05 0.8'];
    expect(earning(await analysis('start_date=2026-03-01&end_date=2026-03-30'))).toEqual(days);
    await advance(api, clock, '2026-04-01T00:00:00Z');
    expect(earning(await analysis('start_date=2026-03-01&end_date=2026-03-30'))).toEqual(days);
  });

  test('without dates the last 30 days; nothing is zeros', async () => {
    const none = await analysis('');
    expect(none).toMatchObject({
      start_date: '2026-01-31',
      end_date: '2026-03-01',
      total_revenue: '0',
      profit_margin: '0',
    });
    expect(daysOf(none)).toHaveLength(30);
    expect(await analysis('end_date=2026-02-10')).toMatchObject({ start_date: '2026-01-12', end_date: '2026-02-10' });
    expect(daysOf(await analysis('start_date=2025-03-01&end_date=2026-03-01'))).toHaveLength(366);
  });

  test('bad dates are 422; an unknown customer, and another account, is 404', async () => {
    const path = `/api/customers/${customer_id}/cost_analysis/`;
    const refused = async (query: string) => {
      const { status, body } = await api.get(`${path}?${query}`);
      return [status, Object.keys(body)];
    };
    expect(await refused('start_date=2026-02-30&end_date=x')).toEqual([422, ['start_date', 'end_date']]);
    expect(await refused('start_date=2026-03-02&end_date=2026-03-01')).toEqual([422, ['end_date']]);
    expect(await refused('start_date=2025-02-28&end_date=2026-03-01')).toEqual([422, ['end_date']]);
    expect(await refused('start_date=2026-03-02')).toEqual([422, ['start_date']]);
    expect((await api.get('/api/customers/nobody/cost_analysis/')).status).toBe(404);
    expect((await (await newAccount()).api.get(path)).status).toBe(404);
  });
});
