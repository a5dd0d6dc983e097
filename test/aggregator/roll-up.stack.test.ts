import { expect, test } from 'vitest';
import { createRollUp } from '../../aggregator/roll-up.ts';
import type { MetricRule } from '../../billing/catalog/metrics.ts';
import { newId } from '../../core/ids.ts';
import { followRolledUp } from '../../services/usage/follow-rolled-up.ts';
import { BookRollUp } from '../../services/usage/roll-up-price-books.ts';
import { findBookUsages } from '../../sql/clickhouse/metrics/book-usage.ts';
import { findMetricUsage } from '../../sql/clickhouse/metrics/metric-usage.ts';
import { bookRuleKey, listBookSpans } from '../../sql/clickhouse/usage/book-rollups.ts';
import { countUsage, deleteUsage, findCustomersWithUsage } from '../../sql/clickhouse/usage/erase-usage.ts';
import { insertUsageBatch } from '../../sql/clickhouse/usage/usage-landing.ts';
import { insertRollups, listRolledSpans } from '../../sql/clickhouse/usage/usage-rollups.ts';
import { howMany } from '../how-many.ts';
import { placedRows } from '../sql/placed-rows.ts';
import { api, stack } from '../stack/api.ts';
import { ownClickHouse, patientPool } from '../stack/own-database.ts';

/** Spans begin with the store's first event, so each test has a store of its own. */
const clickhouse = ownClickHouse({ each: true });

const START = Date.UTC(2026, 10, 1);
const HOUR = 3_600_000;
const ACCOUNT = 'acct_test';
const SUM: MetricRule = {
  ...{ aggregationType: 'sum', eventName: 'call', propertyName: 'bytes' },
  ...{ numericFilters: [], categoricalFilters: [], timeFilter: null },
};

/** Events at these positions, one a minute, each of one byte and with what `more` says of its position. */
async function land(
  customerId: string,
  from: number,
  count: number,
  more: (position: number) => Record<string, string> = () => ({}),
  strings: (position: number) => Record<string, string> = () => ({}),
  accountId = ACCOUNT,
): Promise<void> {
  const rows = Array.from({ length: count }, (_, i) => ({
    ...{
      accountId,
      customerId,
      eventName: 'call',
      timeCreated: START + i * 60_000,
      idempotencyId: `${from + i}`,
    },
    ...{ numbers: { bytes: '1', ...more(from + i) }, strings: strings(from + i), booleans: {} },
    ...{
      fingerprint: (from + i).toString(16).padStart(32, '0'),
      position: BigInt(from + i),
      epoch: 1,
      receivedAt: START,
    },
  }));
  await insertUsageBatch(clickhouse, placedRows(rows), newId('evt'));
}

const SPAN = { events: 2_500, numbers: 10_000 };
const rollUp = (landed: bigint) =>
  createRollUp({ clickhouse, progress: { landedPosition: async () => landed }, span: SPAN });
const question = { accountId: ACCOUNT, customerId: 'large', metric: SUM, timeZone: 'UTC', start: START };

test('spans follow one another, whole ones, of what has landed; of two at one place one counts; who is erased is erased from them', async () => {
  const user = () => ({ user: 'one' });
  await land('large', 1, 6_000, undefined, user);
  expect(await rollUp(2_000n).runOnce()).toBeUndefined();
  const first = rollUp(5_999n);
  expect(await first.runOnce()).toBe('more');
  expect(await first.runOnce()).toBe('more');
  expect(await first.runOnce()).toBeUndefined();
  // Another process, and one that was cut off between the rows and the word that they are complete.
  await insertRollups(clickhouse, { from: 0n, to: 2_500n });
  expect(await rollUp(6_000n).runOnce()).toBeUndefined();
  const spans = await listRolledSpans(clickhouse);
  expect(spans.map(({ from, to }) => [from, to])).toEqual([
    [0n, 2_500n],
    [2_500n, 5_000n],
  ]);
  const rolledUp = followRolledUp(clickhouse, 2_000);
  await rolledUp.refresh();
  expect(rolledUp.spansOf(question)).toEqual([2_500n, 5_000n]);
  expect(rolledUp.spansOf({ ...question, upTo: 4_999n })).toEqual([2_500n]);
  expect(rolledUp.spansOf({ ...question, customerId: 'small' })).toEqual([]);
  // Of its 2,500 events in each span 2,000 are known.
  for (const [largeEvents, ends] of [
    [4_000, [2_500n, 5_000n]],
    [4_001, []],
  ] as const) {
    const known = followRolledUp(clickhouse, largeEvents);
    await known.refresh();
    expect(known.spansOf(question)).toEqual(ends);
  }
  const ask = async (over: object) => {
    const asked = { ...question, end: START + 1_000 * HOUR, ...over };
    const { value, eventsCount } = await findMetricUsage({ clickhouse, rolledUp }, asked);
    return [value.toFixed(), eventsCount.toFixed()];
  };
  expect(await ask({})).toEqual(['6000', '6000']);
  expect(await ask({ upTo: 4_999n })).toEqual(['4999', '4999']);
  expect(await ask({ start: START + 90_000, end: START + 2 * HOUR + 1 })).toEqual(['119', '119']);

  await land('large', 6_001, 3_000, undefined, user);
  await insertRollups(clickhouse, { from: 5_000n, to: 8_000n });
  await insertRollups(clickhouse, { from: 5_000n, to: 7_500n });
  expect(await rollUp(9_000n).runOnce()).toBeUndefined();
  await rolledUp.refresh();
  expect(rolledUp.spansOf(question)).toEqual([2_500n, 5_000n, 7_500n]);
  expect(await ask({})).toEqual(['9000', '9000']);

  const customer = { accountId: ACCOUNT, customerId: 'large' };
  await clickhouse.command({ query: 'DELETE FROM usage_events WHERE 1' });
  await clickhouse.command({ query: 'DELETE FROM usage_rollups WHERE 1' });
  expect(await findCustomersWithUsage(clickhouse, [customer, { ...customer, customerId: 'none' }])).toEqual([customer]);
  expect((await countUsage(clickhouse, customer)).rollups).toBeGreaterThan(0);
  await deleteUsage(clickhouse, customer);
  expect(await countUsage(clickhouse, customer)).toEqual({ events: 0, rollups: 0 });
  expect(await findCustomersWithUsage(clickhouse, [customer])).toEqual([]);
});

/** Rows of rollups that hold more properties than a few. */
async function longRows(): Promise<number> {
  const query = 'SELECT count() AS rows FROM usage_rollups WHERE length(numbers) > 1100';
  const answer = await clickhouse.query({ query, format: 'JSONEachRow' });
  return Number((await answer.json<{ rows: string }>())[0]?.rows);
}

const withinTheHour = { numbers: {}, strings: {}, booleans: {}, epoch: 1, receivedAt: START };

/** Events within one hour, each of one byte and with a numeric property that no other has. */
async function landUniqueNames(customerId: string, from: number, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, i) => ({
    ...withinTheHour,
    ...{ accountId: ACCOUNT, customerId, eventName: 'call', timeCreated: START + i, idempotencyId: `${from + i}` },
    numbers: { bytes: '1', [`name-${from + i}`]: '7' },
    ...{ fingerprint: (from + i).toString(16).padStart(32, '0'), position: BigInt(from + i) },
  }));
  await insertUsageBatch(clickhouse, placedRows(rows), newId('evt'));
}

test('a customer with properties without end is left out from there on, the others are not; answers stay the same', async () => {
  await land('large', 1, 2_500);
  await landUniqueNames('endless', 2_501, 1_250);
  await land('large', 3_751, 1_250);
  await land('endless', 5_001, 1_000);
  await land('large', 6_001, 1_500);
  while (await rollUp(7_500n).runOnce());
  expect((await listRolledSpans(clickhouse)).map(({ to }) => to)).toEqual([2_500n, 5_000n, 7_500n]);
  expect(await longRows()).toBe(0);
  const rolledUp = followRolledUp(clickhouse, 0);
  await rolledUp.refresh();
  expect(rolledUp.spansOf(question)).toEqual([2_500n, 5_000n, 7_500n]);
  expect(rolledUp.spansOf({ ...question, customerId: 'endless' })).toEqual([2_500n]);
  const whole = { ...question, end: START + 1_000 * HOUR };
  for (const [customerId, propertyName, wanted] of [
    ['large', 'bytes', '5250'],
    ['endless', 'bytes', '2250'],
    ['endless', 'name-3000', '7'],
  ] as const) {
    const asked = { ...whole, customerId, metric: { ...SUM, propertyName } };
    expect((await findMetricUsage({ clickhouse, rolledUp }, asked)).value.toFixed()).toBe(wanted);
  }
});

test('a span holds fewer events where these have many properties', async () => {
  const spans = howMany(2, 9);
  await land('wide', 1, 100 * (spans + 1), (position) =>
    Object.fromEntries(Array.from({ length: 99 }, (_, i) => [`p${(position * 99 + i) % 500}`, '1'])),
  );
  while (await rollUp(100n * BigInt(spans + 1)).runOnce());
  expect((await listRolledSpans(clickhouse)).map(({ to }) => to)).toEqual(
    Array.from({ length: spans }, (_, i) => BigInt(100 * (i + 1))),
  );
});

test('a span that cannot be rolled up is tried in smaller ones', async () => {
  await land('large', 1, 2_500);
  const work = rollUp(2_500n);
  await clickhouse.command({
    query: 'ALTER TABLE usage_rollups ADD CONSTRAINT small CHECK events <= 40',
  });
  try {
    for (let round = 0; round < 3; round++) await work.runOnce().catch(() => {});
  } finally {
    await clickhouse.command({ query: 'ALTER TABLE usage_rollups DROP CONSTRAINT small' });
  }
  while (await work.runOnce());
  const spans = await listRolledSpans(clickhouse);
  expect(spans.length).toBeGreaterThan(2);
  expect(spans.at(-1)?.to).toBeGreaterThanOrEqual(2_000n);
});

const USERS: MetricRule = { ...SUM, aggregationType: 'unique', propertyName: 'user' };

test('texts are counted beforehand where every event has one and few enough differ; their events are not read', async () => {
  const users = (count: number) => (position: number) => ({ user: `user-${position % count}`, id: `${position}` });
  await land('large', 1, 2_500, () => ({}), users(40));
  await land('large', 2_501, 2_500, () => ({}), users(60));
  while (await rollUp(5_000n).runOnce());
  const rolledUp = followRolledUp(clickhouse, 2_000);
  await rolledUp.refresh();
  const of = { accountId: ACCOUNT, customerId: 'large', eventName: 'call' };
  expect([...rolledUp.textSpansOf({ ...of, property: 'user' })]).toEqual([2_500n, 5_000n]);
  expect([...rolledUp.textSpansOf({ ...of, property: 'id' })]).toEqual([]);
  const asked = { ...question, metric: USERS, end: START + 1_000 * HOUR };
  const ask = async (over: object = {}) =>
    (await findMetricUsage({ clickhouse, rolledUp }, { ...asked, ...over })).value.toFixed();
  expect(await ask()).toBe('60');
  expect(await ask({ upTo: 2_600n })).toBe('60');
  expect(await ask({ upTo: 2_500n })).toBe('40');
  expect(await ask({ metric: { ...USERS, propertyName: 'id' } })).toBe('5000');
  await clickhouse.command({ query: 'DELETE FROM usage_events WHERE 1' });
  expect(await ask()).toBe('60');
});

/** A customer with a price book of models; its metric's events are those of {@link land}. */
async function subscribed(): Promise<{ accountId: string; customerId: string }> {
  const { account_id: accountId, api_key } = stack();
  const { post } = api(api_key);
  const customerId = newId('evt');
  await post('/api/customers/', { customer_id: customerId, email: 'models@example.com' });
  const metric = { metric_name: 'Bytes', aggregation_type: 'sum', event_name: 'call', property_name: 'bytes' };
  const { metric_id } = (await post('/api/metrics', metric)).body;
  const components = [{ metric_id, group_by: ['model'], prices: [{ when: { model: 'a' }, overage_price: 0.1 }] }];
  const plan = { name: 'AI', recurring_fee: 0, billing_period: 'monthly', components };
  const { plan_id } = (await post('/api/plans', plan)).body;
  const made = await post('/api/subscriptions', { customer_id: customerId, plan_id });
  expect(made.status).toBe(201);
  return { accountId, customerId };
}

test('what price books count is rolled up by the same spans, of customers with many events that have one', async () => {
  const { accountId, customerId } = await subscribed();
  const postgres = patientPool(stack().postgres_url);
  const model = (position: number) => ({ model: position % 3 === 0 ? 'a' : 'b' });
  await land(customerId, 1, 3_500, undefined, model, accountId);
  await land('large', 3_501, 4_000);
  while (await rollUp(7_500n).runOnce());
  const isCaughtUp = { lag: async () => ({ messages: 0, seconds: 0 }) };
  const another = () => new BookRollUp({ postgres, clickhouse, progress: isCaughtUp }, 2_000);
  try {
    const late = { lag: async () => ({ messages: 9, seconds: 9 }) };
    expect(await new BookRollUp({ postgres, clickhouse, progress: late }, 2_000).rollUpOnce()).toBeUndefined();
    const first = another();
    while (await first.rollUpOnce());
    const book = { groupBy: ['model'], rows: [], unmatched: { pricingModel: null }, holds: true } as const;
    const rule = bookRuleKey({ metric: SUM, groupBy: book.groupBy }) ?? '';
    const spansOf = async () =>
      (
        await listBookSpans(clickhouse, [
          { accountId, customerId, rule },
          { accountId: ACCOUNT, customerId: 'large', rule },
        ])
      ).map((some) => some.map(({ to }) => to));
    // Of the 1,000 events in the second span it is not known that they are there.
    expect(await spansOf()).toEqual([[7_500n], []]);
    const known = followRolledUp(clickhouse, 2_000);
    await known.refresh();
    const asked = {
      accountId,
      customerId,
      metric: SUM,
      timeZone: 'UTC',
      start: START,
      end: START + 1_000 * HOUR,
      book,
    };
    const answer = async () =>
      (await findBookUsages({ clickhouse, rolledUp: known }, [asked]))
        .flat()
        .map(({ texts, usage }) => [texts.model, usage.value.toFixed()])
        .toSorted();
    expect(await answer()).toEqual([
      ['a', '1166'],
      ['b', '2334'],
    ]);
    await land(customerId, 7_501, 2_500, undefined, model, accountId);
    while (await rollUp(10_000n).runOnce());
    while (await first.rollUpOnce());
    const second = another();
    while (await second.rollUpOnce());
    expect(await spansOf()).toEqual([[7_500n, 10_000n], []]);
    await known.refresh();
    expect(await answer()).toEqual([
      ['a', '1999'],
      ['b', '4001'],
    ]);
  } finally {
    await postgres.end();
  }
});
