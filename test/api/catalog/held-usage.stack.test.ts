import { beforeAll, expect, test } from 'vitest';
import { newAccount } from '../../stack/accounts.ts';
import { type Api, itemsOf, type Json } from '../../stack/api.ts';
import { trackCalls } from '../../stack/bills.ts';
import { makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric, posted } from '../../stack/resources.ts';
import { advance } from '../../workflows/in-process-clock.ts';

let api: Api;
let clock: string;
let metric_id: unknown;
let plan_id: string;
let components: object[];

beforeAll(async () => {
  ({ api } = await newAccount());
  clock = await makeClock(api, '2026-11-01T00:00:00Z');
  ({ metric_id } = await makeMetric(api, { metric_name: 'Tokens' }));
  const prices = [
    { when: { model: 'a' }, overage_price: 0.1 },
    { when: { model: 'b' }, from: '2026-11-12', overage_price: 1 },
  ];
  components = [{ metric_id, group_by: ['model', 'kind'], prices }];
  plan_id = await makePlan(api, { recurring_fee: 0, components });
});

async function heldUsage(query = ''): Promise<Json> {
  const page = await api.get(`/api/held-usage${query}`);
  expect(page.status, page.text).toBe(200);
  return page.exact;
}

async function subscriber(id: string, plan = plan_id): Promise<{ customer_id: string; subscription_id: string }> {
  const customer_id = await makeCustomer(api, id, { test_clock_id: clock });
  return { customer_id, subscription_id: await subscribe(api, { customer_id, plan_id: plan }) };
}

/** `customer model/kind quantity from to`. */
function shown({ customer_id, group, quantity, period_start, period_end }: Json): string {
  const { model, kind } = group as Json;
  const [from, to] = [period_start, period_end].map((at) => String(at).slice(0, 10));
  return `${customer_id} ${model}/${kind} ${quantity} ${from} ${to}`;
}

test('open and billed periods are listed with whose they are, until a row prices them', async () => {
  const { customer_id, subscription_id } = await subscriber('one');
  await subscriber('two');
  await trackCalls(api, 'one', '2026-11-05T00:00:00Z', 3, { model: 'new', kind: 'in' });
  await trackCalls(api, 'one', '2026-11-06T00:00:00Z', 2, { model: 'b' });
  await trackCalls(api, 'one', '2026-11-13T00:00:00Z', 5, { model: 'b' });
  await trackCalls(api, 'one', '2026-11-07T00:00:00Z', 7, { model: 'a' });
  await trackCalls(api, 'two', '2026-11-08T00:00:00Z', 4);
  await landed(api);

  const open = await heldUsage();
  expect(itemsOf(open.results)[1]).toEqual({
    ...{ subscription_id, metric_id, group: { model: 'b', kind: null }, quantity: '2', events_count: '2' },
    ...{ first_event_at: '2026-11-06T00:00:00.000Z', customer_id, plan_id },
    ...{ period_start: '2026-11-01T00:00:00.000Z', period_end: '2026-11-12T00:00:00.000Z' },
  });
  const november = [
    'two null/null 4 2026-11-01 2026-12-01',
    'one b/null 2 2026-11-01 2026-11-12',
    'one new/in 3 2026-11-01 2026-12-01',
  ];
  expect(itemsOf(open.results).map(shown)).toEqual(november);
  const pages = [1, 2, 3].map((page) => heldUsage(`?page=${page}&page_size=1`));
  const each = await Promise.all(pages);
  expect(each.flatMap(({ results }) => itemsOf(results).map(shown))).toEqual(november);
  expect(each.map(({ count, next }) => [count, next === null])).toEqual([
    ['3', false],
    ['3', false],
    ['3', true],
  ]);
  expect(itemsOf((await heldUsage('?customer_id=two')).results).map(shown)).toEqual(november.slice(0, 1));
  expect(await heldUsage(`?plan_id=${await makePlan(api)}`)).toMatchObject({ count: '0', results: [] });

  await advance(api, clock, '2026-12-02T00:00:00Z');
  await trackCalls(api, 'two', '2026-12-01T10:00:00Z', 1, { model: 'new' });
  await landed(api);
  const december = [...november.slice(1), november[0], 'two new/null 1 2026-12-01 2026-12-31'];
  expect(itemsOf((await heldUsage()).results).map(shown)).toEqual(expect.arrayContaining(december));
  expect(itemsOf((await heldUsage('?page_size=3')).results).map(shown)).not.toContain(december[3]);
  expect(itemsOf((await heldUsage('?page_size=3&page=2')).results).map(shown)).toEqual(december.slice(3));

  for (const row of [{ when: { model: 'new' }, from: '2026-11-06' }, { when: { model: null } }]) {
    await posted(api, `/api/plans/${plan_id}/prices`, { metric_id, ...row, overage_price: 1 });
  }
  const priced = ['one b/null 2 2026-11-01 2026-11-12', 'one new/in 3 2026-11-01 2026-11-06'];
  expect(
    itemsOf((await heldUsage()).results)
      .map(shown)
      .toSorted(),
  ).toEqual(priced);
});

test('ids that are not there, in another account, and parameters that there are not', async () => {
  const other = (await newAccount()).api;
  const statuses = async (of: Api, ...queries: string[]) =>
    Promise.all(queries.map(async (query) => (await of.get(`/api/held-usage?${query}`)).status));
  expect(await statuses(api, 'customer_id=nobody', 'plan_id=plan_none', 'customer=one')).toEqual([404, 404, 422]);
  expect(await statuses(other, 'customer_id=one', `plan_id=${plan_id}`)).toEqual([404, 404]);
  expect((await other.get('/api/held-usage')).body).toMatchObject({ count: 0, results: [] });
});

test('what a switch has left to the period, and what is paused, is as the draft has it', async () => {
  const { subscription_id } = await subscriber('three');
  const fixed = await makePlan(api, { recurring_fee: 0 });
  await trackCalls(api, 'three', '2026-12-02T00:00:00Z', 6, { model: 'x' });
  await landed(api);
  const switched = await api.post(`/api/subscriptions/${subscription_id}/switch_plan`, {
    new_plan_id: fixed,
    invoicing_behavior: 'add_to_next_invoice',
  });
  expect(switched.status, switched.text).toBe(200);
  const draft = (await api.get('/api/customers/three/draft_invoice/')).exact;
  const held = itemsOf((await heldUsage('?customer_id=three')).results);
  expect(held.map(({ customer_id: _, plan_id: of, ...one }) => [one, of])).toEqual(
    itemsOf(draft.held).map((one) => [one, plan_id]),
  );
});
