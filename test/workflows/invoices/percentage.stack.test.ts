import { beforeAll, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import type { Api, Json } from '../../stack/api.ts';
import { billOf, draftOf, linesOf, rowsOf, trackCalls } from '../../stack/bills.ts';
import { checkParity } from '../../stack/check-parity.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric } from '../../stack/resources.ts';
import { advance } from '../in-process-clock.ts';

/** 2.9 % + 0.30, 0.50 to 10.00 (spec/rating#percentage). */
const CARD = {
  ...{ pricing_model: 'percentage', percentage: 2.9, fixed_amount: 0.3 },
  ...{ per_event_minimum: 0.5, per_event_maximum: 10 },
};

let account: TestAccount;
let api: Api;
let clock: string;
let metric_id: unknown;

beforeAll(async () => {
  account = await newAccount();
  api = account.api;
  clock = await makeClock(api, '2026-03-01T00:00:00Z');
  const sum = { metric_name: 'Payments', aggregation_type: 'sum', property_name: 'usd', event_name: 'call' };
  ({ metric_id } = await makeMetric(api, sum));
});

const pay = (customer: string, at: string, usd: number) => trackCalls(api, customer, at, 1, { usd });
const stepsOf = (explained: Json) =>
  (explained.steps as unknown as { step: string; value: string }[]).map(({ step, value }) => `${step} ${value}`);

test('the life of a percentage: draft, invoice, late events, a switch, explanations, parity, days', async () => {
  const customer_id = await makeCustomer(api, 'card', { test_clock_id: clock });
  const components = [{ metric_id, ...CARD }];
  const plan_id = await makePlan(api, { recurring_fee: 0, components });
  const cheaper = [{ metric_id, pricing_model: 'percentage', percentage: 1 }];
  const other = await makePlan(api, { recurring_fee: 0, components: cheaper });
  const subscription_id = await subscribe(api, { customer_id, plan_id });
  for (const usd of [5, 100, 1000, -400]) await pay(customer_id, '2026-03-05T00:00:00Z', usd);
  await landed(api);
  const draft = await draftOf(api, customer_id);
  const asked = `subscription_id=${subscription_id}&metric_id=${metric_id}&type=usage`;
  const explained = await api.get(`/api/customers/${customer_id}/draft_invoice/explain?${asked}`);
  expect(stepsOf(explained.exact)).toEqual(['quantity 705', 'billable 1105', 'price 13.7', 'round_amount 13.7']);

  await advance(api, clock, '2026-04-01T00:00:00Z');
  const [march] = await invoicesOf(api, `customer_id=${customer_id}`);
  expect(rowsOf(march)).toEqual(['usage x705 13.7 from 2026-03-01']);
  expect(linesOf(march)[0]).toMatchObject({
    billable_quantity: '1105',
    unit_price: null,
    tiers: [],
    events_count: '4',
  });
  expect(billOf(draft)).toEqual(billOf(march));

  // Late for March: 0.59. Then 10 more at 0.59, the switch takes all of April along: 1 % of 10 and of 20, and nothing of -5.
  await pay(customer_id, '2026-03-06T00:00:00Z', 10);
  await pay(customer_id, '2026-04-02T00:00:00Z', 10);
  await landed(api);
  await advance(api, clock, '2026-04-10T00:00:00Z');
  const terms = { new_plan_id: other, usage_behavior: 'transfer_to_new_subscription' };
  expect((await api.post(`/api/subscriptions/${subscription_id}/switch_plan/`, terms)).status).toBe(200);
  for (const usd of [20, -5]) await pay(customer_id, '2026-04-12T00:00:00Z', usd);
  await landed(api);
  const next = await draftOf(api, customer_id);
  expect(rowsOf(next)).toEqual(['usage x25 0.3 from 2026-03-31', 'late_usage x10 0.59 from 2026-03-01']);
  await advance(api, clock, '2026-05-01T00:00:00Z');
  const april = (await invoicesOf(api, `customer_id=${customer_id}`)).at(-1);
  expect(billOf(next)).toEqual(billOf(april));
  const late = linesOf(april)[1];
  const proof = await api.get(`/api/invoices/${april?.invoice_id}/lines/${late?.line_id}/explain`);
  expect(stepsOf(proof.exact).at(-1)).toBe('late 0.59');
  expect(proof.exact.total).toBe('0.59');

  const days = `start_date=2026-03-01&end_date=2026-05-31`;
  const costs = await api.get(`/api/customers/${customer_id}/cost_analysis/?${days}`);
  expect([costs.status, costs.exact.total_revenue]).toEqual([200, '14.59']);
  expect(await checkParity(account.accountId)).toEqual({ checked: 2, differences: 0 });
});

test('a percentage is of a sum, and nothing is prepaid at one', async () => {
  const { metric_id: calls } = await makeMetric(api);
  const body = { name: 'Card', billing_period: 'monthly', components: [{ metric_id: calls, ...CARD }] };
  const refused = await api.post('/api/plans', body);
  expect([refused.status, refused.body]).toEqual([
    422,
    { 'components.0.pricing_model': ['Is only for metrics that are a sum; this one is count.'] },
  ]);
  const made = await api.post('/api/plans', { ...body, components: [{ metric_id, ...CARD }] });
  expect([made.status, made.body.components]).toMatchObject([201, [{ ...CARD, free_tier: 0, overage_price: null }]]);
  const customer_id = await makeCustomer(api, 'ahead', { test_clock_id: clock });
  const wanted = { customer_id, plan_id: made.body.plan_id };
  const units = { metric_id, units: 5 };
  expect((await api.post('/api/subscriptions', { ...wanted, prepaid_units: [units] })).status).toBe(422);
  const subscription = await subscribe(api, wanted);
  const change = `/api/subscriptions/${subscription}/components/change-prepaid-units`;
  expect((await api.post(change, units)).status).toBe(422);
});
