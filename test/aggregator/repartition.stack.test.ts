import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createRepartition } from '../../aggregator/repartition.ts';
import { createLog } from '../../runtime/log.ts';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import { deleteUsage, findCustomersWithUsage } from '../../sql/clickhouse/usage/erase-usage.ts';
import { EVENTS_COPY } from '../../sql/clickhouse/usage/repartition-usage.ts';
import { insertUsageBatch } from '../../sql/clickhouse/usage/usage-landing.ts';
import { migrateClickHouse } from '../../sql/migrate.ts';
import { positionOf } from '../../stream/positions.ts';
import { placedRows } from '../sql/placed-rows.ts';
import { startEndingProxy } from './statement-proxy.ts';
import { ACCOUNT, eventOf, exactly, startUsageFixture, type UsageFixture } from './usage-fixture.ts';

/** The schema of the release before: partitions by the month in which events happened. */
const BEFORE = ['0001_usage.sql', '0002_usage_audit.sql', '0003_usage_rollups.sql', '0004_merges_by_column.sql'];
const PARTITIONS = 2;
const log = createLog('test', 'silent');
let fixture: UsageFixture;

beforeAll(async () => {
  fixture = await startUsageFixture(PARTITIONS, undefined, BEFORE);
  fixture.startLanding();
  await migrateClickHouse(fixture.clickhouse);
});
afterAll(() => fixture.stop());

const ids = (tag: string, count: number) => Array.from({ length: count }, (_, i) => `${tag}-${i}`);

beforeEach(byMonthAgain);

/** Back to what the release before has left: the rows that have landed, by month, and a copy without any. */
async function byMonthAgain() {
  await fixture.waitUntilAllLanded();
  const partitionedBy = (column: string) =>
    `CREATE TABLE ${EVENTS_COPY} AS usage_events ENGINE = MergeTree PARTITION BY toYYYYMM(${column})
     ORDER BY (account_id, customer_id, event_name, time_created)
     SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1`;
  for (const query of [
    'ALTER TABLE usage_events DROP CONSTRAINT IF EXISTS landed_before',
    `DROP TABLE IF EXISTS ${EVENTS_COPY}`,
    partitionedBy('time_created'),
    `INSERT INTO ${EVENTS_COPY} SELECT * FROM usage_events`,
    `EXCHANGE TABLES usage_events AND ${EVENTS_COPY}`,
    `DROP TABLE ${EVENTS_COPY}`,
    partitionedBy('received_at'),
  ])
    await fixture.clickhouse.command({ query });
  await fixture.publish(ids(`before-${performance.now()}`, 200));
  await fixture.waitUntilAllLanded();
}

const repartition = (clickhouse: ClickHouseClient = fixture.clickhouse) =>
  createRepartition({ clickhouse, progress: fixture.progress, log });

async function partitionKey(): Promise<string | undefined> {
  const query = "SELECT partition_key FROM system.tables WHERE database = currentDatabase() AND name = 'usage_events'";
  const answer = await fixture.clickhouse.query({ query, format: 'JSONEachRow' });
  return (await answer.json<{ partition_key: string }>())[0]?.partition_key;
}

async function tables(): Promise<string[]> {
  const query =
    "SELECT name FROM system.tables WHERE database = currentDatabase() AND startsWith(name, 'usage_events')";
  const answer = await fixture.clickhouse.query({ query, format: 'JSONEachRow' });
  return (await answer.json<{ name: string }>()).map(({ name }) => name);
}

/** Works until nothing is left to do; after a failure with a pause, in which another one may work. */
async function finish(pauseMs = 20) {
  const work = repartition();
  for (let round = 0; (await partitionKey()) !== 'toYYYYMM(received_at)'; round++) {
    if (round > 200) throw new Error('It comes to no end.');
    if ((await work.runOnce()) !== 'more') await sleep(pauseMs);
  }
  while ((await work.runOnce()) === 'more');
}

/** Sends without pause, and looks all the time whether each event that has landed can be seen, once. */
async function meanwhile<T>(work: () => Promise<T>): Promise<T> {
  const done = new AbortController();
  const tag = `while-${performance.now()}`;
  const sending = (async () => {
    for (let i = 0; !done.signal.aborted; i++) {
      await fixture.publish(ids(`${tag}-${i % 7}`, 40 + (i % 11) * 4));
      await sleep(250);
    }
  })();
  const looking = (async () => {
    let seen = 0;
    while (!done.signal.aborted) {
      const landed = await fixture.progress.landedPosition();
      const query = `SELECT countIf(position <= ${landed}) AS landed, count() AS events, uniqExact(idempotency_id) AS distinct FROM usage_events`;
      const answer = await fixture.clickhouse.query({ query, format: 'JSONEachRow' });
      const [row] = await answer.json<{ landed: string; events: string; distinct: string }>();
      expect(row?.events).toBe(row?.distinct);
      expect(Number(row?.landed)).toBeGreaterThanOrEqual(seen);
      seen = Number(row?.landed);
      // Without a rest it would take what the others work with.
      await sleep(100);
    }
  })();
  const working = work().finally(() => done.abort());
  // All of them end, also when one fails: the next test is not to have their events beside it.
  for (const outcome of await Promise.allSettled([working, sending, looking]))
    if (outcome.status === 'rejected') throw outcome.reason;
  return working;
}

async function expectExact() {
  await fixture.waitUntilAllLanded();
  const totals = await fixture.totals();
  expect(totals).toEqual(exactly(totals.expected));
  expect(await tables()).toEqual(['usage_events']);
  expect(await partitionKey()).toBe('toYYYYMM(received_at)');
}

test('while events land and are asked for: each is there once at any time', async () => {
  expect(await partitionKey()).toBe('toYYYYMM(time_created)');
  await meanwhile(() => finish());
  await expectExact();
  await fixture.publish(ids('afterwards', 300));
  await expectExact();
});

test('ended within any of its statements: the next process goes on, and nothing is missing or there twice', async () => {
  let count = 0;
  for (let isOver = false; !isOver; ) {
    count += 1;
    const proxy = await startEndingProxy(fixture.engines.clickhouseUrl, count);
    const through = createClickHouse(proxy.url);
    const work = repartition(through);
    await meanwhile(async () => {
      while (!proxy.hasEnded() && (await work.runOnce()) === 'more');
      await finish();
    });
    isOver = !proxy.hasEnded();
    await through.close();
    proxy.stop();
    await expectExact();
    if (!isOver) await byMonthAgain();
  }
  // It takes at least six statements: to copy, pause, claim, exchange, let in, and drop.
  expect(count).toBeGreaterThan(6);
}, 600_000);

test('two at once: each event is there once', async () => {
  await meanwhile(() => Promise.all([finish(), finish(700)]));
  await expectExact();
});

test('copied twice, and erased meanwhile: the copy is mended', async () => {
  const { clickhouse } = fixture;
  for (let twice = 0; twice < 2; twice++)
    await clickhouse.command({ query: `INSERT INTO ${EVENTS_COPY} SELECT * FROM usage_events WHERE position % 3 = 0` });
  const customer = { accountId: ACCOUNT, customerId: 'customer-3' };
  await deleteUsage(clickhouse, customer);
  await finish();
  const { events, distinct, ids: known, expected } = await fixture.totals();
  expect(events).toBe(distinct);
  expect(known).toBe(expected);
  expect(await findCustomersWithUsage(clickhouse, [customer])).toEqual([]);
});

test('a writer that was stopped within its insert and wakes up after the exchange lands nothing again', async () => {
  await finish();
  const event = { ...eventOf('before-the-exchange'), fingerprint: '1'.padStart(32, '0') };
  const rows = placedRows([{ ...event, position: positionOf(1, 0), epoch: 1 }]);
  await expect(insertUsageBatch(fixture.clickhouse, rows, 'claimed before')).rejects.toThrow('landed_before');
});
