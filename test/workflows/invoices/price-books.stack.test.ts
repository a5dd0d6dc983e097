import { beforeAll, expect, test } from 'vitest';
import { newAccount } from '../../stack/accounts.ts';
import { type Api, itemsOf, type Json } from '../../stack/api.ts';
import { billOf, draftOf, linesOf, rowsOf, trackCalls } from '../../stack/bills.ts';
import { checkParity } from '../../stack/check-parity.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric, posted, track } from '../../stack/resources.ts';
import { advance } from '../in-process-clock.ts';

let api: Api;
let clock: string;
let metric_id: unknown;
let accountId: string;

beforeAll(async () => {
  ({ api, accountId } = await newAccount());
  clock = await makeClock(api, '2026-11-01T00:00:00Z');
  ({ metric_id } = await makeMetric(api, { metric_name: 'Tokens' }));
});

test('a book bills by combination and row, holds what has no price, and late events by the same rows', async () => {
  const customer_id = await makeCustomer(api, 'ai', { test_clock_id: clock });
  const prices = [
    { when: { model: 'a' }, overage_price: 0.1 },
    { when: { model: 'a' }, from: '2026-11-12', overage_price: 0.07 },
    { when: { model: 'b' }, overage_price: 1, free_tier: 2 },
  ];
  const components = [{ metric_id, group_by: ['model'], prices }];
  const plan_id = await makePlan(api, { recurring_fee: 0, components });
  const subscription_id = await subscribe(api, { customer_id, plan_id });
  await trackCalls(api, customer_id, '2026-11-11T10:00:00Z', 10, { model: 'a' });
  await trackCalls(api, customer_id, '2026-11-12T00:00:00Z', 10, { model: 'a' });
  await trackCalls(api, customer_id, '2026-11-05T00:00:00Z', 3, { model: 'b' });
  await trackCalls(api, customer_id, '2026-11-06T00:00:00Z', 4, { model: 'new' });
  await landed(api);
  const draft = await draftOf(api, customer_id);
  const rows = ['usage x10 1 from 2026-11-01', 'usage x10 0.7 from 2026-11-12', 'usage x3 1 from 2026-11-01'];
  expect(rowsOf(draft)).toEqual(rows);
  expect(linesOf(draft).map(({ group }) => group)).toEqual([{ model: 'a' }, { model: 'a' }, { model: 'b' }]);
  expect(itemsOf(draft.held)).toMatchObject([{ metric_id, group: { model: 'new' }, quantity: '4', events_count: '4' }]);
  const line = new URLSearchParams({ subscription_id, metric_id: String(metric_id) });
  const several = await api.get(`/api/customers/${customer_id}/draft_invoice/explain?${line}`);
  expect([several.status, Object.keys(several.body)]).toEqual([422, ['group']]);

  await advance(api, clock, '2026-12-02T00:00:00Z');
  const [november] = await invoicesOf(api, `customer_id=${customer_id}`);
  expect(billOf(draft)).toEqual(billOf(november));
  expect(november?.held).toEqual(draft.held);
  for (const line of linesOf(november)) {
    const proof = await api.get(`/api/invoices/${november?.invoice_id}/lines/${line.line_id}/explain`);
    expect([proof.status, proof.exact.total]).toEqual([200, line.amount]);
  }

  await trackCalls(api, customer_id, '2026-11-12T00:00:00Z', 5, { model: 'a' });
  await landed(api);
  const next = await draftOf(api, customer_id);
  expect(rowsOf(next)).toEqual(['usage x0 0 from 2026-12-01', 'late_usage x5 0.35 from 2026-11-12']);
  await advance(api, clock, '2027-01-02T00:00:00Z');
  const december = (await invoicesOf(api, `customer_id=${customer_id}`)).at(-1);
  expect(billOf(next)).toEqual(billOf(december));
  const costs = await api.get(`/api/customers/${customer_id}/cost_analysis/?start_date=2026-11-01&end_date=2027-01-31`);
  expect([costs.status, costs.exact.total_revenue]).toEqual([200, '3.05']);
});

test('limits count its lines, and the invoice of a payer holds what has no price', async () => {
  const ownClock = await makeClock(api, '2026-11-01T00:00:00Z');
  const payer = await makeCustomer(api, 'payer', { test_clock_id: ownClock });
  const customer_id = await makeCustomer(api, 'child', { test_clock_id: ownClock, billed_to: payer });
  const prices = [{ when: { model: 'a' }, overage_price: 0.1 }];
  const components = [{ metric_id, group_by: ['model'], prices, maximum_amount: 0.5 }];
  await subscribe(api, { customer_id, plan_id: await makePlan(api, { recurring_fee: 0, components }) });
  await trackCalls(api, customer_id, '2026-11-11T10:00:00Z', 10, { model: 'a' });
  await trackCalls(api, customer_id, '2026-11-06T00:00:00Z', 4, { model: 'new' });
  await landed(api);
  const draft = await draftOf(api, payer);
  await expectExplained(payer, draft);
  expect(itemsOf(draft.held)).toMatchObject([{ metric_id, group: { model: 'new' }, quantity: '4' }]);

  const amounts = (bill: Json | undefined) => linesOf(bill).map(({ type, amount }) => `${type} ${amount}`);
  await advance(api, ownClock, '2026-12-02T00:00:00Z');
  const [november] = await invoicesOf(api, `customer_id=${payer}`);
  expect(amounts(november)).toEqual(['usage 1', 'true_up -0.5']);
  expect([billOf(november), november?.held]).toEqual([billOf(draft), draft.held]);

  await trackCalls(api, customer_id, '2026-11-12T00:00:00Z', 5, { model: 'a' });
  await landed(api);
  const next = await draftOf(api, payer);
  await advance(api, ownClock, '2027-01-02T00:00:00Z');
  const december = (await invoicesOf(api, `customer_id=${payer}`)).at(-1);
  expect(amounts(december)).toEqual(['usage 0', 'late_usage 0.5', 'true_up -0.5']);
  expect(billOf(next)).toEqual(billOf(december));
});

/** Explains each line of a draft, by what the line says of itself, to its amount. */
async function expectExplained(customer_id: string, draft: Json): Promise<Json[]> {
  const explained: Json[] = [];
  for (const { subscription_id, metric_id, type, period_start, group, price_id, discount_id, amount } of linesOf(
    draft,
  )) {
    const named = { subscription_id, metric_id, type, period_start, price_id, discount_id };
    const given = Object.entries(named).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]]));
    const query = new URLSearchParams([...given, ...(group ? [['group', JSON.stringify(group)]] : [])]);
    const answer = await api.get(`/api/customers/${customer_id}/draft_invoice/explain?${query}`);
    expect([answer.status, answer.exact.total, answer.exact.group], answer.text).toEqual([200, amount, group]);
    explained.push(answer.exact);
  }
  return explained;
}

test('each line is explained with its row, limit or discount; an event is traced to its row, or for want of one to nothing', async () => {
  const ownClock = await makeClock(api, '2026-11-01T00:00:00Z');
  const customer_id = await makeCustomer(api, 'seen', { test_clock_id: ownClock });
  const prices = [
    { when: { model: 'a' }, overage_price: 0.1 },
    { when: { model: 'a' }, from: '2026-11-12', overage_price: 0.07 },
  ];
  const components = [{ metric_id, group_by: ['model'], prices, minimum_amount: 1 }];
  const plan_id = await makePlan(api, { recurring_fee: 0, components });
  const subscription_id = await subscribe(api, { customer_id, plan_id });
  for (const percent_off of [10, 50]) {
    const coupon = await posted(api, '/api/coupons', { name: 'Off', percent_off, duration: 'forever' });
    const { coupon_id } = coupon.body;
    await posted(api, `/api/subscriptions/${subscription_id}/discounts`, { coupon_id });
  }
  const send = (day: string, model: string) =>
    track(api, { customer_id, time_created: `2026-11-${day}T10:00:00Z`, properties: { model, size: 3 } });
  const [early, late, held] = [await send('11', 'a'), await send('12', 'a'), await send('13', 'new')];
  await landed(api);
  const draft = await draftOf(api, customer_id);
  const rows = ['usage 0.1', 'usage 0.07', 'true_up 0.83', 'discount -0.1', 'discount -0.45'];
  expect(linesOf(draft).map(({ type, amount }) => `${type} ${amount}`)).toEqual(rows);
  const [first, second, limited, , half] = await expectExplained(customer_id, draft);
  const [row, later] = [
    { when: { model: 'a' }, from: null },
    { when: { model: 'a' }, from: '2026-11-12' },
  ];
  expect([first?.price, second?.price, limited?.price]).toMatchObject([row, later, null]);
  expect([limited?.limit, half?.discount]).toMatchObject([{ charged: '0.17' }, { percent_off: '50', amount: '0.9' }]);
  const explain = `/api/customers/${customer_id}/draft_invoice/explain?subscription_id=${subscription_id}`;
  const without = [`&metric_id=${metric_id}`, '&type=discount', `&metric_id=${metric_id}&group=a`];
  const answers = await Promise.all(without.map((query) => api.get(`${explain}${query}`)));
  // Of one combination the latest row is meant.
  expect(answers.map(({ status }) => status)).toEqual([200, 422, 422]);
  expect([answers[0]?.exact.total, Object.keys(answers[1]?.body ?? {})]).toEqual(['0.07', ['discount_id']]);

  const group = { model: 'new' };
  const unpriced = [{ metric_id, subscription_id, group, unmatched: 'hold' }];
  const traced = async (id: string) => (await api.get(`/api/events/trace?idempotency_id=${id}`)).exact;
  expect(await traced(held)).toMatchObject({ billed_in: [], unpriced, reason: 'held' });
  const priceOf = (line: Json | undefined) => ({
    group: { model: 'a' },
    price_id: line?.price_id,
    amount: line?.amount,
  });
  expect(await traced(early)).toMatchObject({ billed_in: [priceOf(linesOf(draft)[0])], unpriced: [], reason: null });
  await advance(api, ownClock, '2026-12-02T00:00:00Z');
  expect(await traced(late)).toMatchObject({ billed_in: [priceOf(linesOf(draft)[1])], reason: null });
  expect(await traced(held)).toMatchObject({ billed_in: [], unpriced, reason: 'held' });
});

test('where no row was used the line at 0 counts none of what is held', async () => {
  const ownClock = await makeClock(api, '2026-11-01T00:00:00Z');
  const customer_id = await makeCustomer(api, 'waiting', { test_clock_id: ownClock });
  const components = [{ metric_id, group_by: ['model'], prices: [{ when: { model: 'a' }, overage_price: 0.1 }] }];
  await subscribe(api, { customer_id, plan_id: await makePlan(api, { recurring_fee: 0, components }) });
  await trackCalls(api, customer_id, '2026-11-06T00:00:00Z', 4, { model: 'new' });
  await landed(api);
  const nothing = { total: '0', events: { count: '0', results: [] } };
  expect(await expectExplained(customer_id, await draftOf(api, customer_id))).toMatchObject([nothing]);
  await advance(api, ownClock, '2026-12-02T00:00:00Z');
  const [november] = await invoicesOf(api, `customer_id=${customer_id}`);
  const explain = `/api/invoices/${november?.invoice_id}/lines/${linesOf(november)[0]?.line_id}/explain`;
  expect((await api.get(explain)).exact).toMatchObject(nothing);
  expect(await checkParity(accountId)).toMatchObject({ differences: 0 });
});

/** A book in two currencies: in EUR model `a` costs 0.09, in USD 0.1. */
const inCurrencies = () => ({
  components: [{ metric_id, group_by: ['model'], prices: [{ when: { model: 'a' }, overage_price: 0.1 }] }],
  currency_options: { eur: { components: [{ metric_id, prices: [{ when: { model: 'a' }, overage_price: 0.09 }] }] } },
});

test('rows that are agreed on are asked first, in a book of the currency, until a phase ends them', async () => {
  const ownClock = await makeClock(api, '2026-11-01T00:00:00Z');
  const customer_id = await makeCustomer(api, 'agreed', { test_clock_id: ownClock });
  const plan_id = await makePlan(api, { recurring_fee: 0, billing_calendar: 'anniversary', ...inCurrencies() });
  const renamed = await api.patch(`/api/plans/${plan_id}`, { name: 'Renamed' });
  expect(renamed.body).toMatchObject({ version: 2, ...inCurrencies() });
  const mine = [
    { when: { model: 'a' }, from: '2026-11-12', overage_price: 0.05 },
    { when: { model: 'b' }, overage_price: 1 },
  ];
  const overrides = { components: [{ metric_id, prices: mine }] };
  const phases = [{ start_date: '2026-12-01', overrides: { components: [{ metric_id, prices: mine.slice(1) }] } }];
  const id = await subscribe(api, { customer_id, plan_id, currency: 'eur', overrides, phases });
  const record = (await api.get(`/api/subscriptions/${id}`)).body;
  expect(record).toMatchObject({ currency: 'eur', overrides, phases });

  for (const [model, day] of [
    ['a', '11'],
    ['a', '12'],
    ['b', '05'],
    ['c', '05'],
  ] as const) {
    await trackCalls(api, customer_id, `2026-11-${day}T10:00:00Z`, 10, { model });
  }
  await landed(api);
  const draft = await draftOf(api, customer_id);
  const rows = ['usage x10 0.9 from 2026-11-01', 'usage x10 0.5 from 2026-11-12', 'usage x10 10 from 2026-11-01'];
  expect(rowsOf(draft)).toEqual(rows);
  expect(linesOf(draft).map(({ overridden }) => overridden)).toEqual([false, true, true]);
  expect(itemsOf(draft.held)).toMatchObject([{ group: { model: 'c' }, quantity: '10' }]);
  await advance(api, ownClock, '2026-12-02T00:00:00Z');
  const [november] = await invoicesOf(api, `customer_id=${customer_id}`);
  expect(billOf(november)).toEqual(billOf(draft));
  const line = linesOf(november)[1];
  const proof = await api.get(`/api/invoices/${november?.invoice_id}/lines/${line?.line_id}/explain`);
  expect(proof.body).toMatchObject({ total: 0.5, overrides: { components: [{ metric_id, prices: [mine[0]] }] } });

  // What comes late is priced as what came in time; in December the plan's row prices model `a` again.
  await trackCalls(api, customer_id, '2026-11-12T10:00:00Z', 10, { model: 'a' });
  await trackCalls(api, customer_id, '2026-12-01T10:00:00Z', 10, { model: 'a' });
  await landed(api);
  const december = ['usage x10 0.9 from 2026-12-01', 'late_usage x10 0.5 from 2026-11-12'];
  expect(rowsOf(await draftOf(api, customer_id))).toEqual(december);
  const switched = await api.post(`/api/subscriptions/${id}/switch_plan/`, {
    ...{ new_plan_id: await makePlan(api, { recurring_fee: 0, billing_calendar: 'anniversary', ...inCurrencies() }) },
    overrides: { components: [{ metric_id, prices: mine }] },
  });
  expect([switched.status, switched.body.currency, switched.body.overrides]).toMatchObject([200, 'eur', overrides]);
  expect(rowsOf(await draftOf(api, customer_id))).toEqual(['usage x10 0.5 from 2026-12-01', december[1]]);
});

test('rows that are no part of the book of a plan, or missing in a currency, are named', async () => {
  const prices = [
    { when: { model: 'a', kind: 'in' }, overage_price: 1, price: 1 },
    { when: { model: 'a' }, pricing_model: 'percentage', percentage: 1 },
    { when: { model: 'a' }, overage_price: 2 },
  ];
  const { currency_options: options, ...booked } = inCurrencies();
  const plan = { name: 'Pro', recurring_fee: 0, billing_period: 'monthly', ...booked };
  const at = 'currency_options.eur.components.0.prices';
  const refused = async (body: object) => {
    const answer = await api.post('/api/plans', { ...plan, ...body });
    return [answer.status, answer.body];
  };
  expect(await refused({ currency_options: { eur: { components: [{ metric_id, prices }] } } })).toEqual([
    422,
    {
      [`${at}.0.price`]: ['Is the same field as overage_price; send one.'],
      [`${at}.2`]: ['Has the same when and from as prices.1.'],
    },
  ]);
  const some = [prices[0] && { ...prices[0], price: null }, prices[1]];
  expect(await refused({ currency_options: { eur: { components: [{ metric_id, prices: some }] } } })).toEqual([
    422,
    {
      [`${at}.0.when.kind`]: ['Is not in group_by.'],
      [`${at}.1.pricing_model`]: ['Is only for metrics that are a sum; this one is count.'],
    },
  ]);
  expect(await refused({ currency_options: { eur: { components: [{ metric_id }] } } })).toEqual([
    422,
    { [at]: ['Is required for a component with group_by.'] },
  ]);
  const components = [{ metric_id, overage_price: 1 }];
  const unbooked = ['Is only for a component with group_by.'];
  expect(await refused({ components, currency_options: options })).toMatchObject([422, { [at]: unbooked }]);
  const customer_id = await makeCustomer(api, 'refused', {});
  const plan_id = await makePlan(api, { components });
  const overrides = { components: [{ metric_id, prices: [{ when: {}, overage_price: 1 }] }] };
  const answer = await api.post('/api/subscriptions', { customer_id, plan_id, overrides });
  expect([answer.status, answer.body]).toEqual([422, { 'overrides.components.0.prices': unbooked }]);
});
