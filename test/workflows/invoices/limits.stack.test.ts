import { beforeAll, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import type { Api, Json } from '../../stack/api.ts';
import { billOf, draftOf, linesOf, trackCalls } from '../../stack/bills.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric } from '../../stack/resources.ts';
import { advance } from '../in-process-clock.ts';

/** Limits through a life (spec/rating#limits). Periods from 2026-03-01: to 03-31, 04-30, 05-30. */
let account: TestAccount;
let api: Api;
beforeAll(async () => {
  account = await newAccount();
  api = account.api;
});

/** A test may be tried twice. */
let made = 0;

async function begin(plan: object, component: object) {
  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  const customer_id = await makeCustomer(api, `limits ${++made}`, { test_clock_id: clock });
  const { metric_id } = await makeMetric(api);
  const plan_id = await makePlan(api, { components: [{ metric_id, overage_price: 0.5, ...component }], ...plan });
  return { clock, customer_id, metric_id, subscription: await subscribe(api, { customer_id, plan_id }) };
}

const rows = (bill: Json | undefined) => linesOf(bill).map(({ type, amount }) => `${type} ${amount}`);
const issuedFor = (id: string) => invoicesOf(api, `customer_id=${id}`);

async function expectExplained(invoice: Json | undefined): Promise<void> {
  for (const { line_id, amount } of linesOf(invoice)) {
    const told = await api.get(`/api/invoices/${invoice?.invoice_id}/lines/${line_id}/explain`);
    expect([told.status, told.exact.total]).toEqual([200, amount]);
  }
}

test('a component, then the plan; late usage is trued up beside its line; drafts and explanations say the same', async () => {
  const { clock, customer_id, metric_id, subscription } = await begin(
    { recurring_fee: 100, maximum_amount: 130 },
    { minimum_amount: 40 },
  );
  await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 67);
  await landed(api);
  const draft = await draftOf(api, customer_id);
  const query = new URLSearchParams({ subscription_id: subscription, type: 'true_up' });
  const path = `/api/customers/${customer_id}/draft_invoice/explain`;
  expect((await api.get(`${path}?${query}`)).exact).toMatchObject({ total: '-10', limit: { charged: '140' } });
  expect((await api.get(`${path}?${query}&metric_id=${metric_id}`)).exact).toMatchObject({
    total: '6.5',
    limit: { minimum_amount: '40', maximum_amount: null, charged: '33.5', trued_up: '0' },
  });
  await advance(api, clock, '2026-04-01T00:00:00Z');
  const [march] = await issuedFor(customer_id);
  expect(rows(march)).toEqual(['recurring_fee 100', 'usage 33.5', 'true_up 6.5', 'true_up -10']);
  expect(linesOf(march).map((line) => line.metric_id)).toEqual([null, metric_id, metric_id, null]);
  expect(billOf(draft)).toEqual(billOf(march));
  await expectExplained(march);

  await trackCalls(api, customer_id, '2026-03-06T00:00:00Z', 20);
  await landed(api);
  const next = await draftOf(api, customer_id);
  await advance(api, clock, '2026-05-01T00:00:00Z');
  const april = (await issuedFor(customer_id)).at(-1);
  // April: 100 + 0 + 40 is 10 too much. March: 10 late, of which the minimum had billed 6.50, and the plan was full.
  expect(rows(april)).toEqual([
    ...['recurring_fee 100', 'usage 0', 'late_usage 10'],
    ...['true_up 40', 'true_up -10', 'true_up -6.5', 'true_up -3.5'],
  ]);
  expect(billOf(next)).toEqual(billOf(april));
  await expectExplained(april);

  // What was trued up late counts: the next late usage is beyond the maximum as a whole.
  await trackCalls(api, customer_id, '2026-03-07T00:00:00Z', 2);
  await landed(api);
  await advance(api, clock, '2026-06-01T00:00:00Z');
  expect(rows((await issuedFor(customer_id)).at(-1)).filter((row) => row.startsWith('true_up'))).toEqual([
    ...['true_up 40', 'true_up -10', 'true_up -1'],
  ]);
});

/** Quarterly with usage months, 10 a call: nine calls in the first month, late ones in each of the two behind it. */
async function quarterWithLate(plan: object, late: { inApril: number; inMay: number; april: number }) {
  const months = { recurring_fee: 0, billing_period: 'quarterly', usage_period: 'monthly', ...plan };
  const { clock, customer_id } = await begin(months, { overage_price: 10 });
  await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 9);
  await landed(api);
  await advance(api, clock, '2026-04-01T00:00:00Z');
  await trackCalls(api, customer_id, '2026-03-06T00:00:00Z', late.inApril);
  await advance(api, clock, '2026-04-20T00:00:00Z');
  await trackCalls(api, customer_id, '2026-04-15T00:00:00Z', late.april);
  await landed(api);
  await advance(api, clock, '2026-05-01T00:00:00Z');
  await trackCalls(api, customer_id, '2026-04-16T00:00:00Z', late.inMay);
  await landed(api);
  const draft = await draftOf(api, customer_id);
  await advance(api, clock, '2026-05-30T00:00:00Z');
  const issued = await issuedFor(customer_id);
  expect(billOf(draft)).toEqual(billOf(issued.at(-1)));
  return issued.map(rows);
}

// 90; then 20 late and 30, of which 10 are left to 100; then 10 late, all of it too much.
test('late usage of a month is beyond the maximum of its quarter with the month that bills it', async () => {
  expect(await quarterWithLate({ maximum_amount: 100 }, { inApril: 2, april: 3, inMay: 1 })).toEqual([
    ['usage 90'],
    ['usage 30', 'late_usage 20', 'true_up -20', 'true_up -20'],
    ['usage 0', 'late_usage 10', 'true_up -10'],
  ]);
});

// 90 of at least 100 are 10 too little, which 20 late make up for: 110 in all.
test('late usage of a month makes up for the minimum of its quarter', async () => {
  expect(await quarterWithLate({ minimum_amount: 100 }, { inApril: 0, april: 0, inMay: 2 })).toEqual([
    ...[['usage 90'], ['usage 0']],
    ['usage 0', 'late_usage 20', 'true_up 10', 'true_up -10'],
  ]);
});

// At 10 a call: 90 in the first month without limits; to a plan of at most 100 in the second, which has 10. 20 come late for the first month on
// the invoice of the third, and 10 more behind the quarter: all of it is too much.
test('late usage from before a switch is limited by the last plan of its quarter', async () => {
  const months = { recurring_fee: 0, billing_period: 'quarterly', usage_period: 'monthly' };
  const { clock, customer_id, metric_id, subscription } = await begin(months, { overage_price: 10 });
  await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 9);
  await advance(api, clock, '2026-04-10T00:00:00Z');
  const components = [{ metric_id, overage_price: 10 }];
  const new_plan_id = await makePlan(api, { ...months, maximum_amount: 100, components });
  const { status } = await api.post(`/api/subscriptions/${subscription}/switch_plan`, { new_plan_id });
  expect(status).toBe(200);
  await trackCalls(api, customer_id, '2026-04-15T00:00:00Z', 1);
  await advance(api, clock, '2026-05-10T00:00:00Z');
  await trackCalls(api, customer_id, '2026-03-06T00:00:00Z', 2);
  await landed(api);
  const draft = await draftOf(api, customer_id);
  await advance(api, clock, '2026-06-01T00:00:00Z');
  const quarter = await issuedFor(customer_id);
  expect(quarter.map(rows)).toEqual([['usage 90'], ['usage 10'], ['usage 0', 'late_usage 20', 'true_up -20']]);
  expect(billOf(draft)).toEqual(billOf(quarter.at(-1)));
  await trackCalls(api, customer_id, '2026-03-07T00:00:00Z', 1);
  await landed(api);
  await advance(api, clock, '2026-07-01T00:00:00Z');
  expect(rows((await issuedFor(customer_id)).at(-1))).toEqual(['usage 0', 'late_usage 10', 'true_up -10']);
});

test("a plan's maximum acts on the invoice that passes it, and counts at the period's end", async () => {
  const ahead = { recurring_fee: 100, maximum_amount: 130, charge_timing: 'in_advance' };
  const { clock, customer_id } = await begin(ahead, { prepaid_units: 100 });
  await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 110);
  await landed(api);
  const draft = await draftOf(api, customer_id);
  await advance(api, clock, '2026-04-01T00:00:00Z');
  const [opening, march] = await issuedFor(customer_id);
  expect(rows(opening)).toEqual(['recurring_fee 100', 'prepaid_units 50', 'true_up -20']);
  expect(rows(march)).toEqual(['recurring_fee 100', 'prepaid_units 50', 'usage 5', 'true_up -5', 'true_up -20']);
  expect(billOf(draft)).toEqual(billOf(march));
});

test('a cancel bills the minimum of its days, a switch that of each plan', async () => {
  const { clock, customer_id, metric_id, subscription } = await begin({ recurring_fee: 0, minimum_amount: 30 }, {});
  const components = [{ metric_id, overage_price: 0.5 }];
  const new_plan_id = await makePlan(api, { recurring_fee: 0, minimum_amount: 60, components });
  await advance(api, clock, '2026-03-11T00:00:00Z');
  const switched = await api.post(`/api/subscriptions/${subscription}/switch_plan`, { new_plan_id });
  expect(switched.status).toBe(200);
  await advance(api, clock, '2026-04-10T00:00:00Z');
  const [march] = await issuedFor(customer_id);
  expect(rows(march)).toEqual(['usage 0', 'true_up 50']);
  const canceled = await api.post(`/api/subscriptions/${switched.body.subscription_id}/cancel`, {
    invoicing_behavior: 'invoice_now',
  });
  expect(canceled.status).toBe(200);
  expect(rows((await issuedFor(customer_id)).at(-1))).toEqual(['usage 0', 'true_up 20']);
});

test('usage that a switch has moved along counts in every month of the billing period that it began', async () => {
  const { clock, customer_id, metric_id, subscription } = await begin({ recurring_fee: 0 }, {});
  await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 300);
  await advance(api, clock, '2026-03-11T00:00:00Z');
  const months = { billing_period: 'quarterly', usage_period: 'monthly', charge_timing: 'in_advance' };
  const components = [{ metric_id, overage_price: 0.5 }];
  const new_plan_id = await makePlan(api, { recurring_fee: 60, maximum_amount: 130, ...months, components });
  const { status } = await api.post(`/api/subscriptions/${subscription}/switch_plan`, { new_plan_id });
  expect(status).toBe(200);
  await trackCalls(api, customer_id, '2026-04-15T00:00:00Z', 40);
  await advance(api, clock, '2026-04-20T00:00:00Z');
  await landed(api);
  const draft = await draftOf(api, customer_id);
  await advance(api, clock, '2026-05-11T00:00:00Z');
  const issued = await issuedFor(customer_id);
  expect(issued.map(rows)).toEqual([['recurring_fee 60'], ['usage 150', 'true_up -80'], ['usage 20', 'true_up -20']]);
  expect(billOf(draft)).toEqual(billOf(issued.at(-1)));
});
