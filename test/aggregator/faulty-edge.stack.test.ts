import { afterAll, beforeAll, expect, test } from 'vitest';
import { batchOf, bytesOfRows, readGroup } from '../../aggregator/batch.ts';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import { insertUsageBatch } from '../../sql/clickhouse/usage/usage-landing.ts';
import { stack } from '../stack/api.ts';
import { mutants } from '../stream/mutants.ts';
import { readRows } from '../stream/read-row.ts';
import { eventOf } from './usage-fixture.ts';

const clickhouse = createClickHouse(stack().clickhouse_url);
const drop = () => clickhouse.command({ query: 'DROP TABLE IF EXISTS raw_events SYNC' });

beforeAll(async () => {
  await drop();
  await clickhouse.command({ query: 'CREATE TABLE raw_events AS usage_events' });
});
afterAll(async () => {
  await drop();
  await clickhouse.close();
});

const MUTANTS = { seed: 20_261_122, count: 600 };
const event = (i: number) => ({ ...eventOf(`faulty-${i}`, i), booleans: { ok: true } });

test('whatever a faulty edge publishes is a dead letter, or ClickHouse takes it as it was read, in one insert', async () => {
  const messages = mutants(event, MUTANTS.count, MUTANTS.seed);
  const batch = batchOf(messages.map((data, i) => readGroup({ sequence: i + 1, data }, 1)));
  const rows = batch.rows.flatMap(readRows);
  expect(batch.undecodable.length).toBeGreaterThan(MUTANTS.count / 4);
  expect(rows.length).toBeGreaterThan(MUTANTS.count / 2);
  const all = rows.map(() => true);
  await insertUsageBatch(clickhouse, bytesOfRows(batch, all), 'faulty', { table: 'raw_events' });

  const answer = await clickhouse.query({
    query: `SELECT position, account_id, customer_id, event_name, idempotency_id, toUnixTimestamp64Milli(time_created) AS created,
      toUnixTimestamp64Milli(received_at) AS received, mapKeys(numbers) AS n, mapKeys(strings) AS s, mapValues(booleans) AS b
      FROM raw_events ORDER BY position`,
    format: 'JSONCompactEachRow',
  });
  const stored = await answer.json<unknown[]>();
  expect(stored).toEqual(
    rows.map((row) => [
      ...[String(row.position), row.accountId, row.customerId, row.eventName, row.idempotencyId],
      ...[String(row.timeCreated), String(row.receivedAt)],
      ...[Object.keys(row.numbers), Object.keys(row.strings), Object.values(row.booleans)],
    ]),
  );
});
