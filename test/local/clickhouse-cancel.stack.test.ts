import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClickHouse, createClickHouseDatabase } from '../../sql/clickhouse/clickhouse.ts';
import { startUsageEngines, type UsageEngines } from '../stack/usage-engines.ts';
import { waitUntil } from '../stack/wait-until.ts';

/** Reads that end before their answer on the local ClickHouse server, as they do on a real one; and those that may not write. */
let engines: UsageEngines;
let client: ClickHouseClient;

beforeAll(async () => {
  engines = await startUsageEngines();
  await createClickHouseDatabase(engines.clickhouseUrl);
  client = createClickHouse(engines.clickhouseUrl);
});

afterAll(async () => {
  await client?.close();
  await engines?.stop();
});

/** Hours of work, unless somebody ends it. */
const ENDLESS = 'SELECT sum(sipHash64(number)) FROM numbers(10000000000000) SETTINGS max_execution_time = 3600';

async function running(mark: string): Promise<number> {
  const answer = await client.query({
    query: 'SELECT count() AS n FROM system.processes WHERE query LIKE {like:String} AND query NOT LIKE {not:String}',
    query_params: { like: `%${mark}%`, not: '%system.processes%' },
    format: 'JSONEachRow',
  });
  const [row] = await answer.json<{ n: string }>();
  return Number(row?.n);
}

test('a read whose client went away is killed', async () => {
  const mark = randomUUID();
  const gone = new AbortController();
  const asked = client.query({ query: `${ENDLESS} /* ${mark} */`, abort_signal: gone.signal });
  await waitUntil(
    () => running(mark),
    (n) => n === 1,
  );
  gone.abort();
  await expect(asked).rejects.toThrow('aborted');
  await waitUntil(
    () => running(mark),
    (n) => n === 0,
  );
});

test('a read is killed at the client’s own time limit', async () => {
  const mark = randomUUID();
  const hasty = createClickHouse(engines.clickhouseUrl, undefined, 1_000);
  await expect(hasty.query({ query: `${ENDLESS} /* ${mark} */` })).rejects.toThrow('Timeout');
  await waitUntil(
    () => running(mark),
    (n) => n === 0,
  );
  await hasty.close();
});

test('more abandoned reads than there are sessions: each is killed or never begins, and the next is answered', async () => {
  const mark = randomUUID();
  const gone = new AbortController();
  const one = () => client.query({ query: `${ENDLESS} /* ${mark} */`, abort_signal: gone.signal });
  const asked = Promise.allSettled(Array.from({ length: 9 }, one));
  await sleep(300);
  gone.abort();
  expect((await asked).map(({ status }) => status)).toEqual(Array(9).fill('rejected'));
  await waitUntil(
    () => running(mark),
    (n) => n === 0,
  );
});

test('rows of a read that failed half way never come before the next answer', async () => {
  const failing = 'SELECT number, throwIf(number = 20000) FROM numbers(100000) SETTINGS max_block_size = 100';
  for (let i = 0; i < 5; i++) {
    await expect(client.query({ query: failing, format: 'JSONEachRow' })).rejects.toThrow('throwIf');
    const next = await client.query({ query: 'SELECT 1 AS one', format: 'JSONEachRow' });
    expect(await next.json()).toEqual([{ one: 1 }]);
  }
});

test('a request that only reads may not write', async () => {
  await client.command({ query: 'CREATE TABLE IF NOT EXISTS kept (id UInt8) ENGINE = MergeTree ORDER BY id' });
  const readonly = { clickhouse_settings: { readonly: '2' as const } };
  await expect(client.command({ query: 'DROP TABLE kept', ...readonly })).rejects.toThrow('readonly mode');
  const insert = { table: 'kept', values: [{ id: 1 }], format: 'JSONEachRow' as const, ...readonly };
  await expect(client.insert(insert)).rejects.toThrow('readonly mode');
  const answer = await client.query({ query: 'SELECT count() AS n FROM kept', format: 'JSONEachRow', ...readonly });
  expect(await answer.json()).toEqual([{ n: '0' }]);
  await client.insert({ ...insert, clickhouse_settings: {} });
});
