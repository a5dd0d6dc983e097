import type { ClickHouseClient } from '@clickhouse/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  countHeldByHolders,
  countHeldEvents,
  type FoundHolders,
  findHoldersInTurn,
  type HeldEvents,
  listHeldByHolders,
} from '../../services/usage/held-by-holders.ts';
import { listHeldUsage } from '../../services/usage/list-held-usage.ts';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import type { HeldFilter } from '../../sql/postgres/invoices/held-combinations.ts';
import type { FoundHolder } from '../../sql/postgres/invoices/holders.ts';
import type { Pool } from '../../sql/postgres/postgres.ts';
import { newAccount, type TestAccount } from '../stack/accounts.ts';
import { type Api, stack } from '../stack/api.ts';
import { trackCalls } from '../stack/bills.ts';
import { makeClock, makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';
import { patientPool } from '../stack/own-database.ts';
import { landed, makeMetric, posted } from '../stack/resources.ts';
import { advance } from '../workflows/in-process-clock.ts';

let account: TestAccount;
let api: Api;
let postgres: Pool;
let clickhouse: ClickHouseClient;
let clock: string;
let metric_id: unknown;
let [planId, other] = ['', ''];
const ids = new Map<string, string>();

beforeAll(async () => {
  account = await newAccount();
  ({ api } = account);
  postgres = patientPool(stack().postgres_url);
  clickhouse = createClickHouse(stack().clickhouse_url);
  clock = await makeClock(api, '2026-11-01T00:00:00Z');
  ({ metric_id } = await makeMetric(api, { metric_name: 'Tokens' }));
  const prices = [
    { when: { model: 'a' }, overage_price: 0.1 },
    { when: { model: 'b' }, from: '2026-11-12', overage_price: 1 },
  ];
  const components = [{ metric_id, group_by: ['model', 'kind'], prices }];
  planId = await makePlan(api, { recurring_fee: 0, components });
  other = await makePlan(api, { recurring_fee: 0, components });
  for (const name of ['one', 'two', 'three', 'paused', 'resumed', 'leaving', 'switching', 'zoned', 'late', 'idle']) {
    const zone = name === 'zoned' ? { timezone: 'Asia/Tokyo' } : {};
    await makeCustomer(api, name, { test_clock_id: clock, ...zone });
    const start = name === 'late' ? { start_date: '2026-11-03' } : {};
    ids.set(name, await subscribe(api, { customer_id: name, plan_id: planId, ...start }));
  }
  ids.set('two of other', await subscribe(api, { customer_id: 'two', plan_id: other }));
  await advance(api, clock, '2026-11-04T00:00:00Z');
});
afterAll(async () => {
  await postgres?.end();
  await clickhouse?.close();
});

const sources = () => ({ postgres, clickhouse });

async function foundBy(filter: HeldFilter): Promise<FoundHolders> {
  const { value } = await findHoldersInTurn(sources(), account.accountId, filter).next();
  return value;
}

/** What is counted of each holder is what is listed of it; by customer, and how many are like others. */
async function counted(filter: HeldFilter = {}): Promise<{ held: Record<string, number>; alike: number }> {
  const found = await foundBy(filter);
  const { holders } = found;
  const wanted = { most: 1_000, planId: filter.planId };
  const counts = await countHeldByHolders(sources(), account.accountId, found, wanted);
  const listed = await listHeldByHolders(sources(), account.accountId, holders, wanted);
  const ofHolder = ({ subscriptionId }: FoundHolder) =>
    listed.filter((one) => one.subscriptionId === subscriptionId).length;
  expect(counts).toEqual(holders.map(ofHolder));
  if (filter.planId == null) {
    const held: HeldEvents[] = [];
    for await (const some of countHeldEvents(sources(), account.accountId, found, wanted.most)) held.push(...some);
    expect(eventsByCombination(held)).toEqual(eventsByCombination(listed));
  }
  const nameOf = new Map([...ids].map(([name, id]) => [id, name]));
  const held = holders.map(({ subscriptionId }, i) => [nameOf.get(subscriptionId), counts[i]] as const);
  const likes = Map.groupBy(holders, ({ alike }) => alike);
  const alike = [...likes].reduce((sum, [key, { length }]) => sum + (key !== null && length > 1 ? length : 0), 0);
  return { held: Object.fromEntries(held.filter(([, count]) => count)), alike };
}

/** How many events are held of each combination of a plan. */
function eventsByCombination(held: readonly HeldEvents[]): Record<string, number> {
  const events = Map.groupBy(held, ({ planId, metricId, group }) => {
    return [planId, metricId, ...Object.entries(group).toSorted().flat()].join(' ');
  });
  const sums = [...events].map(([key, some]) => [key, some.reduce((sum, one) => sum + Number(one.eventsCount), 0)]);
  return Object.fromEntries(sums);
}

const PAGE = 7;

/** The pages where all but one of the holders are counted are those of the list of all of them, by number and from a place on. */
async function expectSamePages(filter: HeldFilter = {}): Promise<void> {
  const whole = await listHeldUsage(sources(), account.accountId, filter, { limit: 1_000, offset: 0 });
  expect(whole.results).toHaveLength(whole.count);
  for (let offset = 0; offset < whole.count; offset += PAGE) {
    const page = await listHeldUsage(sources(), account.accountId, filter, { limit: PAGE, offset }, 1);
    const results = whole.results.slice(offset, offset + PAGE);
    const places = whole.places.slice(offset, offset + PAGE);
    expect(page).toEqual({ ...whole, results, places, hasNext: offset + PAGE < whole.count });
    const window = { limit: PAGE, offset: 0, after: places.at(-1) };
    const next = await listHeldUsage(sources(), account.accountId, filter, window, 1);
    expect(next.results).toEqual(whole.results.slice(offset + PAGE, offset + 2 * PAGE));
    expect([next.count, next.hasNext]).toEqual([whole.count, offset + 2 * PAGE < whole.count]);
  }
}

test('of those alike one tells what is asked of all, others are asked by themselves: both count what is listed', async () => {
  for (const name of ['one', 'two', 'paused', 'resumed', 'leaving', 'switching', 'zoned', 'late']) {
    await trackCalls(api, name, '2026-11-02T16:00:00Z', 1, { model: 'new', kind: 'in' });
    await trackCalls(api, name, '2026-11-03T10:00:00Z', 1, { model: 'b' });
    await trackCalls(api, name, '2026-11-11T15:30:00Z', 1, { model: 'b', kind: 'out' });
    await trackCalls(api, name, '2026-11-12T10:00:00Z', 1, { model: 'b', kind: 'late' });
    await trackCalls(api, name, '2026-11-13T10:00:00Z', 1);
    await trackCalls(api, name, '2026-11-13T10:00:00Z', 1, { model: 'a' });
  }
  const change = (name: string, what: string, body: object) =>
    api.post(`/api/subscriptions/${ids.get(name)}/${what}`, body).then(({ status, text }) => {
      expect(status, text).toBe(200);
    });
  await landed(api);
  await change('paused', 'pause', {});
  await change('resumed', 'pause', {});
  await advance(api, clock, '2026-11-12T12:00:00Z');
  await change('resumed', 'resume', {});
  await change('leaving', 'cancel', { cancel_at: '2026-11-20', bill_usage: false });
  await change('switching', 'switch_plan', { new_plan_id: other, invoicing_behavior: 'add_to_next_invoice' });
  await landed(api);
  const all = await counted();
  expect(all.held).toMatchObject({ one: 4, two: 4, 'two of other': 4 });
  expect(all.alike).toBeGreaterThanOrEqual(4);
  for (const filter of [{ planId }, { planId: other }, { customerId: 'two' }, { customerId: 'switching', planId }]) {
    await counted(filter);
  }
  await expectSamePages();
  await expectSamePages({ planId: other });
});

test('while invoices are pending those alike hold two periods; what was billed and has a price by now is asked by itself', async () => {
  await api.patch('/api/account', { invoice_grace_seconds: 172_800 });
  await advance(api, clock, '2026-12-02T00:00:00Z');
  await trackCalls(api, 'one', '2026-12-01T10:00:00Z', 1, { model: 'next' });
  await trackCalls(api, 'three', '2026-12-01T10:00:00Z', 1, { model: 'next' });
  await landed(api);
  const pending = await counted();
  expect(pending.held).toMatchObject({ one: 5, two: 4, three: 1 });
  await expectSamePages();

  await advance(api, clock, '2026-12-10T00:00:00Z');
  expect((await counted()).held).toMatchObject({ one: 1, three: 1 });
  const row = { metric_id, when: { model: 'new' }, overage_price: 1 };
  await posted(api, `/api/plans/${planId}/prices`, row);
  const priced = await counted();
  expect(priced.held).toMatchObject({ one: 4, two: 3 });
  await expectSamePages();
});
