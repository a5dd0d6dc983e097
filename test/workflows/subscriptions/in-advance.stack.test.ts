import { beforeEach, describe, expect, test } from 'vitest';
import { newAccount, type TestAccount, withPostgres } from '../../stack/accounts.ts';
import { itemsOf, type Json } from '../../stack/api.ts';
import { billOf, draftOf, rowsOf, trackCalls } from '../../stack/bills.ts';
import { advance, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric } from '../../stack/resources.ts';

let account: TestAccount;
let metric_id: string;

beforeEach(async () => {
  account = await newAccount();
  metric_id = String((await makeMetric(account.api)).metric_id);
});

/** 10 units free, then 0.5 each: 50 prepaid units cost (50 - 10) * 0.5 = 20. */
const component = (more: object = {}) => ({ metric_id, free_tier: 10, overage_price: 0.5, ...more });

async function recordOf(subscription: string): Promise<Json> {
  return (await account.api.get(`/api/subscriptions/${subscription}`)).exact;
}

describe('a plan charged in advance, with prepaid units', () => {
  test('opening, period and closing invoices, by hand', async () => {
    const { api } = account;
    const clock = await makeClock(api, '2026-03-01T09:00:00Z');
    const customer_id = await makeCustomer(api, 'ahead', { test_clock_id: clock, tax_rate: 10 });
    const plan = { recurring_fee: 30, charge_timing: 'in_advance', components: [component({ prepaid_units: 50 })] };
    const subscription = await subscribe(api, { customer_id, plan_id: await makePlan(api, plan) });

    // Due at the very start: 30 + 20 = 50, tax 5. There as soon as the creation has answered.
    const [opening, ...others] = await invoicesOf(api, `subscription_id=${subscription}`);
    expect(others).toEqual([]);
    expect(rowsOf(opening)).toEqual(['recurring_fee 30 from 2026-03-01', `prepaid_units x50 20 from 2026-03-01`]);
    expect(opening).toMatchObject({
      kind: 'opening',
      total: '55',
      issue_date: '2026-03-01',
      created_at: '2026-03-01T09:00:00.000Z',
      period_start: '2026-03-01T00:00:00.000Z',
      period_end: '2026-03-31T00:00:00.000Z',
    });
    expect((await recordOf(subscription)).prepaid_units).toEqual([
      { metric_id, units: '50', used: '0', remaining: '50' },
    ]);

    await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 30);
    await landed(api);
    expect((await recordOf(subscription)).prepaid_units).toEqual([
      { metric_id, units: '50', used: '30', remaining: '20' },
    ]);
    await trackCalls(api, customer_id, '2026-03-06T00:00:00Z', 40);
    await landed(api);
    // What goes beyond the prepaid units is billed, not "used" of them.
    expect((await recordOf(subscription)).prepaid_units).toEqual([
      { metric_id, units: '50', used: '50', remaining: '0' },
    ]);

    const draft = await draftOf(api, customer_id);
    await advance(api, clock, '2026-03-31T12:00:00Z');
    // Usage: (70 - 10) * 0.5 - 20 = 10. With the next fee and units 60, tax 6.
    const march = (await invoicesOf(api, `subscription_id=${subscription}`))[1];
    expect(rowsOf(march)).toEqual([
      'recurring_fee 30 from 2026-03-31',
      'prepaid_units x50 20 from 2026-03-31',
      'usage x70 10 from 2026-03-01',
    ]);
    expect(march).toMatchObject({ kind: 'period', total: '66', period_start: '2026-03-01T00:00:00.000Z' });
    expect(billOf(draft)).toEqual(billOf(march));
  });

  test('one that does not renew: its closing invoice has usage only', async () => {
    const { api } = account;
    const clock = await makeClock(api, '2026-03-01T00:00:00Z');
    const customer_id = await makeCustomer(api, 'ending', { test_clock_id: clock });
    const plan = { recurring_fee: 30, charge_timing: 'in_advance', components: [component({ prepaid_units: 50 })] };
    const plan_id = await makePlan(api, plan);
    const subscription = await subscribe(api, { customer_id, plan_id, auto_renew: false });
    await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 60);
    await advance(api, clock, '2026-06-01T00:00:00Z');
    const invoices = await invoicesOf(api, `subscription_id=${subscription}`);
    // (60 - 10) * 0.5 - 20 = 5
    expect(invoices.map(({ kind, total }) => [kind, total])).toEqual([
      ['opening', '50'],
      ['closing', '5'],
    ]);
    expect(rowsOf(invoices[1])).toEqual(['usage x60 5 from 2026-03-01']);
    const { status, prepaid_units } = await recordOf(subscription);
    expect({ status, prepaid_units }).toEqual({
      status: 'expired',
      prepaid_units: [{ metric_id, units: '50', used: '50', remaining: '0' }],
    });
  });

  test('a pending one is opened by its activation, not before', async () => {
    const { api } = account;
    const clock = await makeClock(api, '2026-03-01T00:00:00Z');
    const customer_id = await makeCustomer(api, 'later', { test_clock_id: clock, timezone: 'Asia/Tokyo' });
    const plan_id = await makePlan(api, { recurring_fee: 30, charge_timing: 'in_advance' });
    const subscription = await subscribe(api, { customer_id, plan_id, start_date: '2026-03-05' });
    expect(await invoicesOf(api, `subscription_id=${subscription}`)).toEqual([]);
    const draft = await draftOf(api, customer_id);
    expect(draft).toMatchObject({ total: '30', invoices: [{ kind: 'opening' }] });
    await advance(api, clock, '2026-03-04T15:00:00Z');
    const invoices = await invoicesOf(api, `subscription_id=${subscription}`);
    expect(invoices).toMatchObject([{ kind: 'opening', issue_date: '2026-03-05', total: '30' }]);
    expect(billOf(invoices[0]).lines).toEqual(billOf(draft).lines);
    const sql = `SELECT type FROM outbox_events WHERE subject = ANY($1) ORDER BY seq`;
    const subjects = [`subscription/${subscription}`, `invoice/${invoices[0]?.invoice_id}`];
    const { rows } = await withPostgres((postgres) => postgres.query<{ type: string }>(sql, [subjects]));
    const told = ['subscription.created', 'subscription.activated', 'invoice.created'];
    expect(rows.map(({ type }) => type)).toEqual(told);
  });
});

describe('prepaid units', () => {
  test('under in_arrears are billed ahead, the fee is not', async () => {
    const { api } = account;
    const clock = await makeClock(api, '2026-03-01T00:00:00Z');
    const customer_id = await makeCustomer(api, 'arrears', { test_clock_id: clock });
    const plan_id = await makePlan(api, { recurring_fee: 30, components: [component({ prepaid_units: 50 })] });
    const subscription = await subscribe(api, { customer_id, plan_id });
    await advance(api, clock, '2026-04-01T00:00:00Z');
    const invoices = await invoicesOf(api, `subscription_id=${subscription}`);
    expect(invoices.map(rowsOf)).toEqual([
      ['prepaid_units x50 20 from 2026-03-01'],
      ['recurring_fee 30 from 2026-03-01', 'prepaid_units x50 20 from 2026-03-31', 'usage x0 0 from 2026-03-01'],
    ]);
  });

  test("a subscription's own replace its plan's; 0 of them is none", async () => {
    const { api } = account;
    const customer_id = await makeCustomer(api, 'own-units');
    const plan_id = await makePlan(api, { recurring_fee: 0, components: [component({ prepaid_units: 50 })] });
    // (20 - 10) * 0.5 = 5
    const prepaid_units = [{ metric_id, units: 20 }];
    const subscription = await subscribe(api, { customer_id, plan_id, prepaid_units });
    const invoices = await invoicesOf(api, `subscription_id=${subscription}`);
    expect(invoices.map(rowsOf)).toEqual([[expect.stringContaining('prepaid_units x20 5 from')]]);
    const created = await recordOf(subscription);
    expect(created.prepaid_units).toEqual([{ metric_id, units: '20', used: '0', remaining: '20' }]);

    const other = await makePlan(api, { recurring_fee: 0, components: [component({ prepaid_units: 50 })] });
    const none = await subscribe(api, { customer_id, plan_id: other, prepaid_units: [{ metric_id, units: 0 }] });
    expect(await invoicesOf(api, `subscription_id=${none}`)).toEqual([]);
    const listed = await api.get(`/api/customers/${customer_id}/`);
    expect(itemsOf(listed.body.subscriptions).map((one) => one.prepaid_units)).toEqual([
      [{ metric_id, units: 20, used: 0, remaining: 20 }],
      [{ metric_id, units: 0, used: 0, remaining: 0 }],
    ]);
  });

  test('are refused for metrics that the plan does not bill', async () => {
    const { api } = account;
    const customer_id = await makeCustomer(api, 'refused');
    const plan_id = await makePlan(api, { components: [component()] });
    const other = String((await makeMetric(api)).metric_id);
    const create = (prepaid_units: unknown) => api.post('/api/subscriptions', { customer_id, plan_id, prepaid_units });
    expect(await create([{ metric_id: other, units: 1 }])).toMatchObject({
      status: 422,
      body: { 'prepaid_units.0.metric_id': ['Is not billed by the plan.'] },
    });
    expect((await create([{ metric_id: 'metric_none', units: 1 }])).status).toBe(404);
    expect(
      await create([
        { metric_id, units: 1 },
        { metric_id, units: -1 },
      ]),
    ).toMatchObject({
      status: 422,
      body: { 'prepaid_units.1.units': ['Must not be negative.'], 'prepaid_units.1.metric_id': ['Is already listed.'] },
    });
    const theirs = await makeMetric((await newAccount()).api);
    expect((await create([{ metric_id: theirs.metric_id, units: 1 }])).status).toBe(404);
  });
});

describe('no opening invoice', () => {
  test.each([
    ['in_arrears without prepaid units', { recurring_fee: 30 }],
    ['in_advance where nothing above 0 is due', { recurring_fee: 0, charge_timing: 'in_advance' }],
  ])('%s', async (name, plan) => {
    const { api } = account;
    const customer_id = await makeCustomer(api, `nothing: ${name}`);
    const subscription = await subscribe(api, { customer_id, plan_id: await makePlan(api, plan) });
    expect(await invoicesOf(api, `subscription_id=${subscription}`)).toEqual([]);
  });
});

test('a credit that covers the opening invoice makes it paid', async () => {
  const { api } = account;
  const customer_id = await makeCustomer(api, 'credited');
  await api.post('/api/credits', { customer_id, amount: 100 });
  const plan_id = await makePlan(api, { recurring_fee: 30, charge_timing: 'in_advance' });
  const subscription = await subscribe(api, { customer_id, plan_id });
  expect(await invoicesOf(api, `subscription_id=${subscription}`)).toMatchObject([
    { kind: 'opening', total: '30', credits_applied: '30', amount_due: '0', status: 'paid' },
  ]);
});

test('currencies with 0 and 3 decimals', async () => {
  const { api } = account;
  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  // JPY: prepaid 7 * 0.5 = 3.5 -> 4, with the fee 1004; tax 10 % = 100.4 -> 100
  // KWD: prepaid 7 * 0.1005 = 0.7035 -> 0.704, with the fee 1.704; tax 7.5 % = 0.1278 -> 0.128
  const cases = [
    ['JPY', 1000, 0.5, 10, { subtotal: '1004', tax_amount: '100', total: '1104' }],
    ['KWD', 1, 0.1005, 7.5, { subtotal: '1.704', tax_amount: '0.128', total: '1.832' }],
  ] as const;
  for (const [currency, recurring_fee, overage_price, tax_rate, expected] of cases) {
    const money = { default_currency_code: currency, tax_rate, test_clock_id: clock };
    const customer_id = await makeCustomer(api, currency, money);
    const components = [{ metric_id, overage_price, prepaid_units: 7 }];
    const plan = { recurring_fee, currency, charge_timing: 'in_advance', components };
    const subscription = await subscribe(api, { customer_id, plan_id: await makePlan(api, plan) });
    expect(await invoicesOf(api, `subscription_id=${subscription}`)).toMatchObject([expected]);
  }
});
