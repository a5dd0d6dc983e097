import { beforeAll, expect, test } from 'vitest';
import { apiWithScopes, newAccount, type TestAccount } from '../../stack/accounts.ts';
import { type Api, itemsOf, type Json } from '../../stack/api.ts';
import { makeCustomer, makeMetric, makePlan } from '../../stack/resources.ts';

/** Rows that are added to the price books of a plan (spec/price-books#additions). */
let account: TestAccount;
let api: Api;
let metric_id: string;

beforeAll(async () => {
  account = await newAccount();
  ({ api } = account);
  metric_id = String((await makeMetric(api)).metric_id);
});

type Row = { when: object; from?: string; overage_price: number };

const bookOf = (group_by: string[], prices: Row[]) => ({ components: [{ metric_id, group_by, prices }] });
const A = { when: { model: 'a' }, overage_price: 0.1 };
const NEW = { when: { model: 'new' }, overage_price: 0.2 };

async function planWith(prices: Row[], more: object = {}): Promise<string> {
  return String((await makePlan(api, { recurring_fee: 0, ...bookOf(['model'], prices), ...more })).plan_id);
}

const add = (plan_id: string, row: object, headers?: Record<string, string>) =>
  api.post(`/api/plans/${plan_id}/prices`, { metric_id, ...row }, headers);

/** The rows of each offered version, the first version first. */
async function pricesOf(plan_id: string): Promise<Json[][]> {
  const { body } = await api.get(`/api/plans/${plan_id}/versions`);
  const rowsOf = ({ components }: Json) => {
    const prices = itemsOf(components)[0]?.prices;
    return prices === null ? [] : itemsOf(prices);
  };
  return itemsOf(body.results).toReversed().map(rowsOf);
}

test('a row is in all versions with such a book, and in those that are made after', async () => {
  const plan_id = await planWith([A]);
  const twoProperties = bookOf(['model', 'kind'], [A, { when: { kind: 'in' }, overage_price: 1 }]);
  expect((await api.patch(`/api/plans/${plan_id}`, twoProperties)).status).toBe(200);
  const none = { components: [{ metric_id, overage_price: 1 }] };
  expect((await api.patch(`/api/plans/${plan_id}`, none)).status).toBe(200);
  expect((await api.patch(`/api/plans/${plan_id}`, bookOf(['model'], [A, { ...NEW, overage_price: 3 }]))).status).toBe(
    200,
  );

  const made = await add(plan_id, { ...NEW, free_tier: 5 });
  expect([made.status, made.body], made.text).toMatchObject([
    201,
    { when: NEW.when, from: null, overage_price: 0.2, free_tier: 5 },
  ]);
  expect(made.body.price_id).toMatch(/^price_/);
  const [first, second, third, fourth] = await pricesOf(plan_id);
  expect([first?.length, second?.length, third?.length]).toEqual([2, 3, 0]);
  expect([first?.at(-1), second?.at(-1)]).toEqual([made.body, made.body]);
  // A version that has a row of this when and from keeps its own.
  expect(fourth?.map(({ overage_price }) => overage_price)).toEqual([0.1, 3]);

  // Only the second version groups by kind.
  const out = await add(plan_id, { when: { kind: 'out' }, overage_price: 2 });
  expect(out.status, out.text).toBe(201);
  expect((await pricesOf(plan_id)).map((rows) => rows.length)).toEqual([2, 4, 0, 2]);
  expect((await api.patch(`/api/plans/${plan_id}`, { name: 'Fifth' })).status).toBe(200);
  expect((await add(plan_id, { when: { model: 'late' }, overage_price: 2 })).status).toBe(201);
  expect((await pricesOf(plan_id)).map((rows) => rows.length)).toEqual([3, 5, 0, 3, 3]);

  const log = await api.get(`/api/audit-log?action=plan.price_added&resource_id=${plan_id}`);
  expect(itemsOf(log.body.results).at(-1)).toMatchObject({
    before: null,
    after: { plan_id, metric_id, currency: 'USD', ...made.body },
  });
});

test('a row that is there, and a plan without such a book, are 409', async () => {
  const plan_id = await planWith([A, { ...A, from: '2026-11-12' }]);
  expect((await add(plan_id, A)).status).toBe(409);
  expect((await add(plan_id, { ...A, from: '2026-11-12' })).status).toBe(409);
  expect((await add(plan_id, { ...A, from: '2026-11-12T00:00:00Z' })).status).toBe(201);
  expect((await add(plan_id, { ...A, from: '2026-11-12T01:00:00+01:00' })).status).toBe(409);
  const other = String((await makeMetric(api)).metric_id);
  expect((await add(plan_id, { ...NEW, metric_id: other })).status).toBe(409);
  expect((await add(plan_id, { ...NEW, currency: 'eur' })).status).toBe(409);
  const flat = await makePlan(api, { components: [{ metric_id, overage_price: 1 }] });
  expect((await add(String(flat.plan_id), NEW)).status).toBe(409);
  const headers = { 'Idempotency-Key': 'once' };
  const once = await add(plan_id, NEW, headers);
  expect([once.status, (await add(plan_id, NEW, headers)).body]).toEqual([201, once.body]);
  expect((await add(plan_id, NEW)).status).toBe(409);
  // Of calls at once for one row, one is done.
  const row = { when: { model: 'raced' }, overage_price: 1 };
  const raced = await Promise.all(Array.from({ length: 5 }, () => add(plan_id, row)));
  expect(raced.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409]);
});

test('what is bad is 422, all at once; ids of nothing are 404 after it; a key that only reads is 403', async () => {
  const plan_id = await planWith([A]);
  const bad = await add(plan_id, {
    when: { model: {} },
    from: 'tomorrow',
    pricing_model: 'tiered',
    tiers: [{ up_to: 1, unit_price: -1 }],
    price_id: 'mine',
  });
  expect([bad.status, Object.keys(bad.body).sort()]).toEqual([
    422,
    ['from', 'price_id', 'tiers.0.unit_price', 'tiers.0.up_to', 'when.model'].toSorted(),
  ]);
  const empty = await api.post(`/api/plans/${plan_id}/prices`, {});
  expect([empty.status, Object.keys(empty.body).sort()]).toEqual([422, ['metric_id', 'overage_price', 'when']]);
  const tiers = [{ up_to: null, unit_price: 1, flat_fee: 0.001 }];
  const unfit = await add(plan_id, { when: { kind: 'in', region: null }, pricing_model: 'tiered', tiers });
  expect([unfit.status, unfit.body]).toEqual([
    422,
    {
      'tiers.0.flat_fee': ['Must have at most 2 decimals in USD.'],
      'when.kind': ['Is not in group_by.'],
      'when.region': ['Is not in group_by.'],
    },
  ]);
  expect((await add(plan_id, { when: {}, tiers, overage_price: 1 })).status).toBe(400);
  const percentage = await add(plan_id, { when: {}, pricing_model: 'percentage', percentage: 3 });
  expect([percentage.status, Object.keys(percentage.body)]).toEqual([422, ['pricing_model']]);

  expect((await add(plan_id, { ...NEW, metric_id: 'metric_unknown' })).status).toBe(404);
  expect((await add(plan_id, { ...NEW, metric_id: 'metric_unknown', when: { model: {} } })).status).toBe(422);
  expect((await add('plan_unknown', NEW)).status).toBe(404);
  const { api: stranger } = await newAccount();
  expect((await stranger.post(`/api/plans/${plan_id}/prices`, { metric_id, ...NEW })).status).toBe(404);
  const reader = await apiWithScopes(account, ['read']);
  expect((await reader.post(`/api/plans/${plan_id}/prices`, { metric_id, ...NEW })).status).toBe(403);
});

test('a row in a further currency is in the price book of that currency, and stays there in later versions', async () => {
  const currency_options = { eur: { components: [{ metric_id, prices: [{ ...A, overage_price: 0.09 }] }] } };
  const plan_id = await planWith([A], { currency_options });
  const made = await add(plan_id, { ...NEW, currency: 'EUR' });
  expect(made.status, made.text).toBe(201);
  expect((await add(plan_id, { ...NEW, currency: 'eur' })).status).toBe(409);
  await api.patch(`/api/plans/${plan_id}`, { name: 'Second' });
  const { body } = await api.get(`/api/plans/${plan_id}`);
  const option = (body.currency_options as Json).eur as Json;
  expect(itemsOf(itemsOf(option.components)[0]?.prices).map(({ overage_price }) => overage_price)).toEqual([0.09, 0.2]);
  expect((await pricesOf(plan_id)).map((rows) => rows.length)).toEqual([1, 1]);
  // Money has the decimals of that currency.
  const tiers = [{ up_to: null, unit_price: 1, flat_fee: 0.1 }];
  const yen = { jpy: { components: [{ metric_id, prices: [{ ...A, overage_price: 9 }] }] } };
  const inYen = await planWith([A], { currency_options: yen });
  const fine = await add(inYen, { when: {}, pricing_model: 'tiered', tiers, currency: 'jpy' });
  expect([fine.status, Object.keys(fine.body)]).toEqual([422, ['tiers.0.flat_fee']]);
});

test('a book has 1,000 rows at most', async () => {
  const rows = Array.from({ length: 999 }, (_, i) => ({ when: { model: `m${i}` }, overage_price: 1 }));
  const plan_id = await planWith(rows);
  expect((await add(plan_id, NEW)).status).toBe(201);
  const full = await add(plan_id, { when: { model: 'beyond' }, overage_price: 1 });
  expect([full.status, Object.keys(full.body)]).toEqual([422, ['metric_id']]);
});

test('a version that is agreed on with a subscription has the row, too', async () => {
  const plan_id = await planWith([A], { recurring_fee: 10 });
  const { customer_id } = await makeCustomer(api);
  const prices = [{ when: { model: 'mine' }, overage_price: 1 }];
  const terms = { customer_id, plan_id, overrides: { recurring_fee: 5, components: [{ metric_id, prices }] } };
  expect((await api.post('/api/subscriptions', terms)).status).toBe(201);
  const event = { event_name: 'call', customer_id, idempotency_id: 'new-1', properties: { model: 'new' } };
  const time_created = new Date().toISOString();
  expect((await api.post('/api/track', { ...event, time_created })).status).toBe(200);
  expect((await add(plan_id, NEW)).status).toBe(201);
  await api.post('/api/verify-events', { idempotency_ids: ['new-1'] });
  const draft = await api.get(`/api/customers/${customer_id}/draft_invoice/`);
  const usage = itemsOf(draft.body.lines).filter(({ type }) => String(type) === 'usage');
  expect([usage.length, usage[0], draft.body.held]).toMatchObject([1, { group: { model: 'new' }, amount: 0.2 }, []]);
});
