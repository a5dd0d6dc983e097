import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClickHouseClient, ClickHouseLogLevel, type ClickHouseSettings, createClient } from '@clickhouse/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { reservePorts } from '../../local/free-ports.ts';
import { startClickHouseProcess } from './clickhouse-process.ts';

/** The local ClickHouse server, driven by the official client as every process drives it. */
const path = mkdtempSync(join(tmpdir(), 'meterbook-clickhouse-'));
const PASSWORD = 'kept in a file';
let server: { child: ChildProcess; url: string };
let client: ClickHouseClient;
let reserved: Awaited<ReturnType<typeof reservePorts>>;

const startServer = (port = 0) => startClickHouseProcess(path, PASSWORD, port);

const clientOf = (url: string, database = 'meterbook') =>
  createClient({
    url,
    database,
    username: 'meterbook',
    password: PASSWORD,
    max_open_connections: 20,
    log: { level: ClickHouseLogLevel.OFF },
  });

async function rows<T>(
  query: string,
  query_params: Record<string, unknown> = {},
  clickhouse_settings: ClickHouseSettings = {},
) {
  const result = await client.query({ query, query_params, clickhouse_settings, format: 'JSONEachRow' });
  return result.json<T>();
}

beforeAll(async () => {
  // Not one of those that outgoing connections get: it is killed and comes back there.
  reserved = await reservePorts(path, 1);
  server = await startServer(reserved.ports[0]);
  const first = clientOf(server.url, 'default');
  await first.command({ query: 'CREATE DATABASE meterbook' });
  await first.close();
  client = clientOf(server.url);
  const settings = `SETTINGS non_replicated_deduplication_window = 1000, ${ON_DISK}`;
  await makeTable('events', 'id UInt64, name String, amount Decimal(38, 18)', settings);
});

const ON_DISK = 'fsync_after_insert = 1, fsync_part_directory = 1';
async function makeTable(name: string, columns: string, more = ''): Promise<void> {
  await client.command({ query: `CREATE TABLE ${name} (${columns}) ENGINE = MergeTree ORDER BY id ${more}` });
}

beforeEach(async () => {
  const { child, url } = server;
  if (child.exitCode !== null || child.signalCode !== null) server = await startServer(Number(new URL(url).port));
});

afterAll(async () => {
  await client?.close();
  server?.child.kill('SIGKILL');
  reserved?.release();
  rmSync(path, { recursive: true, force: true });
});

describe('queries', () => {
  test('answers ping, with and without a select', async () => {
    expect(await client.ping()).toEqual({ success: true });
    expect(await client.ping({ select: true })).toEqual({ success: true });
  });

  test.each([
    ['String', "it's \t a\nb\\ ☃ ; -- {x:String}"],
    ['Array(String)', ["o'ne", 'tw\\o', 'thr\tee']],
    ['Nullable(String)', null],
    ['UInt64', 18446744073709551615n],
    ['Map(String, UInt8)', new Map([["a'b", 1]])],
  ])('binds a parameter of type %s', async (type, value) => {
    const result = await client.query({
      query: `SELECT toString({v:${type}}) AS text, {v:${type}} AS v`,
      query_params: { v: value },
      format: 'JSONEachRow',
    });
    const [row] = await result.json<{ v: unknown; text: string }>();
    if (typeof value === 'bigint') expect(row?.text).toBe(String(value));
    else expect(row?.v).toEqual(value instanceof Map ? Object.fromEntries(value) : value);
  });

  test('parameters too long for a URL go in a multipart body', async () => {
    const ids = Array.from({ length: 10_000 }, (_, i) => `id-${i}`);
    const result = await client.query({
      query: 'SELECT length({ids:Array(String)}) AS n',
      query_params: { ids },
      use_multipart_params: true,
      format: 'JSONEachRow',
    });
    expect(await result.json()).toEqual([{ n: 10_000 }]);
  });

  test('a query of a megabyte', async () => {
    const text = 'x'.repeat(2 ** 20);
    expect(await rows(`SELECT length('${text}') AS n`, {}, { max_query_size: '10000000' })).toEqual([{ n: 2 ** 20 }]);
  });

  test('every output format, a format in the statement included', async () => {
    const json = await (await client.query({ query: 'SELECT 1 AS a', format: 'JSON' })).json();
    expect(json).toMatchObject({ meta: [{ name: 'a', type: 'UInt8' }], data: [{ a: 1 }], rows: 1 });
    const compact = await client.query({ query: "SELECT 1, 'x'", format: 'JSONCompactEachRow' });
    expect(await compact.json()).toEqual([[1, 'x']]);
    const tabs = await client.query({ query: "SELECT 1, 'x'", format: 'TabSeparated' });
    expect(await tabs.text()).toBe('1\tx\n');
    const { stream } = await client.exec({ query: "SELECT toUInt16(258), 'ab\\0' FORMAT RowBinary" });
    expect(Buffer.concat(await Readable.from(stream).toArray())).toEqual(Buffer.from([2, 1, 3, 97, 98, 0]));
  });

  test('streams a large result', async () => {
    const result = await client.query({
      query: 'SELECT number, toString(number) AS s FROM numbers(200000)',
      format: 'JSONCompactEachRow',
    });
    let n = 0;
    for await (const part of result.stream()) n += part.length;
    expect(n).toBe(200_000);
  });

  test('compressed in both directions', async () => {
    const zipped = createClient({
      url: server.url,
      username: 'meterbook',
      password: PASSWORD,
      database: 'meterbook',
      compression: { request: true, response: true },
    });
    await zipped.insert({ table: 'events', values: [{ id: 900, name: 'zipped' }], format: 'JSONEachRow' });
    const result = await zipped.query({ query: 'SELECT name FROM events WHERE id = 900', format: 'JSONEachRow' });
    expect(await result.json()).toEqual([{ name: 'zipped' }]);
    await zipped.close();
  });

  test('a slow query holds up neither reads nor inserts', async () => {
    const [gone, done] = [new AbortController(), vi.fn()];
    const query = 'SELECT sleepEachRow(0.5) FROM numbers(100)';
    const settings: ClickHouseSettings = {
      max_block_size: '1',
      readonly: '2',
      cancel_http_readonly_queries_on_client_close: 1,
    };
    const slow = client
      .query({ query, clickhouse_settings: settings, abort_signal: gone.signal })
      .then(done, () => undefined);
    await rows('SELECT {x:UInt8}', { x: 1 });
    await client.insert({ table: 'events', values: [{ id: 901 }], format: 'JSONEachRow' });
    expect(done).not.toHaveBeenCalled();
    gone.abort();
    await slow;
  });

  test('a hundred at once, each with its own parameter', async () => {
    const all = Array.from({ length: 100 }, (_, x) => rows<{ x: number }>('SELECT {x:UInt32} AS x', { x }));
    expect((await Promise.all(all)).map(([row]) => row?.x)).toEqual(Array.from({ length: 100 }, (_, x) => x));
  });
});

describe('errors', () => {
  test.each([
    ['SELECT FROM x y z 1', '62', 'SYNTAX_ERROR'],
    ['SELECT * FROM missing', '60', 'UNKNOWN_TABLE'],
    ['SELECT missing FROM events', '47', 'UNKNOWN_IDENTIFIER'],
    ['SELECT {never:String}', '456', 'UNKNOWN_QUERY_PARAMETER'],
    ["SELECT throwIf(1, 'no (really)')", '395', 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO'],
    ['SELECT 1; SELECT 2', '62', 'SYNTAX_ERROR'],
  ])('%s', async (query, code, type) => {
    await expect(client.query({ query })).rejects.toMatchObject({ code, type });
  });

  test('a missing parameter is never another request’s value', async () => {
    await Promise.all(Array.from({ length: 20 }, () => rows('SELECT {who:String}', { who: 'someone' })));
    const all = Array.from({ length: 20 }, () => rows('SELECT {who:String}').catch((error) => error.type));
    const types = await Promise.all(all);
    for (const type of types) expect(type).toMatch(/QUERY_PARAMETER/);
  });

  test('an unknown setting, an unknown database, rows that do not parse', async () => {
    const settings = { no_such_thing: 1 } as ClickHouseSettings;
    await expect(rows('SELECT 1', {}, settings)).rejects.toMatchObject({ code: '115', type: 'UNKNOWN_SETTING' });
    const elsewhere = clientOf(server.url, 'nowhere');
    await expect(elsewhere.query({ query: 'SELECT 1' })).rejects.toMatchObject({ code: '81' });
    await elsewhere.close();
    const broken = client.insert({
      table: 'events',
      values: Readable.from(['{"id": 1}\n{"id": ']),
      format: 'JSONEachRow' as never,
    });
    await expect(broken).rejects.toThrow();
  });

  test('a read ends at its time limit', async () => {
    const settings: ClickHouseSettings = { max_execution_time: 1, max_block_size: '1' };
    await expect(rows('SELECT sleepEachRow(0.2) FROM numbers(100)', {}, settings)).rejects.toMatchObject({
      code: '159',
    });
  });
});

describe('a request’s settings are its own', () => {
  test('URL settings, SETTINGS clauses and SET do not reach the next request', async () => {
    const value = async () =>
      (await rows<{ v: string }>("SELECT toString(getSetting('max_rows_to_read')) AS v")).at(0)?.v;
    await rows('SELECT 1', {}, { max_rows_to_read: '7' });
    await rows('SELECT 1 SETTINGS max_rows_to_read = 8');
    await client.command({ query: 'SET max_rows_to_read = 9' });
    await expect(rows('SELECT throwIf(1)', {}, { max_rows_to_read: '10' })).rejects.toThrow();
    for (let i = 0; i < 12; i++) expect(await value()).toBe('0');
  });

  test('the database of the URL is the request’s', async () => {
    const other = clientOf(server.url, 'default');
    const asked = Array.from({ length: 20 }, async (_, i) => {
      const result = await (i % 2 ? other : client).query({
        query: 'SELECT currentDatabase() AS d',
        format: 'JSONEachRow',
      });
      return (await result.json<{ d: string }>()).at(0)?.d;
    });
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 20 }, (_, i) => (i % 2 ? 'default' : 'meterbook')));
    await other.close();
  });
});

describe('inserts', () => {
  const count = async (table: string) =>
    Number((await rows<{ n: string }>(`SELECT count() AS n FROM ${table}`)).at(0)?.n);

  test('in JSONEachRow, JSONCompactEachRow, CSV and VALUES, with the rows it wrote', async () => {
    await makeTable('formats', 'id UInt64, name String');
    const written = await client.insert({
      table: 'formats',
      values: [
        { id: 1, name: "a;'b\n" },
        { id: 2, name: '' },
      ],
      format: 'JSONEachRow',
    });
    expect(written.summary?.written_rows).toBe('2');
    await client.insert({
      table: 'formats',
      values: [[3, 'c']],
      format: 'JSONCompactEachRow',
      columns: ['id', 'name'],
    });
    await client.insert({
      table: 'formats',
      values: Readable.from(['4,"d,""d"\n'], { objectMode: false }),
      format: 'CSV',
    });
    await client.command({ query: "INSERT INTO formats VALUES (5, 'e;'), (6, 'f')" });
    await client.insert({ table: 'formats', values: [], format: 'JSONEachRow' });
    expect(await rows('SELECT name FROM formats ORDER BY id')).toEqual(
      ["a;'b\n", '', 'c', 'd,"d', 'e;', 'f'].map((name) => ({ name })),
    );
  });

  test('bytes as they are, in RowBinary', async () => {
    await makeTable('bytes', 'id UInt8, data String');
    const every = Buffer.from(Array.from({ length: 120 }, (_, i) => i * 2));
    const row = Buffer.concat([Buffer.from([1, every.length]), every]);
    const { stream } = await client.exec({
      query: 'INSERT INTO bytes (id, data) SETTINGS max_threads = 1 FORMAT RowBinary',
      values: Readable.from([row]),
    });
    stream.resume();
    await once(stream, 'close');
    expect(await rows('SELECT hex(data) AS h FROM bytes')).toEqual([{ h: every.toString('hex').toUpperCase() }]);
  });

  test('30 MB in one body', async () => {
    await makeTable('large', 'id UInt64, name String');
    const values = Array.from({ length: 15_000 }, (_, id) => ({ id, name: 'x'.repeat(2_000) }));
    await client.insert({ table: 'large', values, format: 'JSONEachRow' });
    expect(await count('large')).toBe(15_000);
    // Removed right behind the answer.
    await expect.poll(() => readdirSync(join(path, 'incoming'))).toEqual([]);
  });

  test('a repeated deduplication token adds nothing, to the table or to its view', async () => {
    const window = 'SETTINGS non_replicated_deduplication_window = 100';
    await client.command({ query: 'DROP VIEW IF EXISTS landed_view SYNC' });
    await makeTable('landed', 'id UInt64', `PARTITION BY id % 3 ${window}`);
    await makeTable('landed_ids', 'id UInt64', window);
    await client.command({ query: 'CREATE MATERIALIZED VIEW landed_view TO landed_ids AS SELECT id FROM landed' });
    const land = (token: string, ids: number[]) =>
      client.insert({
        table: 'landed',
        values: ids.map((id) => ({ id })),
        format: 'JSONEachRow',
        clickhouse_settings: {
          async_insert: 0,
          insert_deduplication_token: token,
          deduplicate_blocks_in_dependent_materialized_views: 1,
        },
      });
    await land('1/0/1-3', [1, 2, 3]);
    await land('1/0/1-3', [1, 2, 3]);
    await land('1/0/4-5', [3, 4]);
    await client.insert({ table: 'landed', values: [{ id: 9 }], format: 'JSONEachRow' });
    await client.insert({ table: 'landed', values: [{ id: 10 }], format: 'JSONEachRow' });
    expect([await count('landed'), await count('landed_ids')]).toEqual([7, 7]);
  });
});

test('kill -9 in a stream of inserts loses none that was acknowledged', async () => {
  await makeTable('acked', 'id UInt64', `SETTINGS ${ON_DISK}`);
  const acked: number[] = [];
  const writer = (async () => {
    for (let id = 0; ; id++) {
      await client.insert({ table: 'acked', values: [{ id }], format: 'JSONEachRow' });
      acked.push(id);
    }
  })().catch(() => undefined);
  while (acked.length <= 20) await sleep(50);
  server.child.kill('SIGKILL');
  await Promise.all([once(server.child, 'exit'), writer]);
  server = await startServer(Number(new URL(server.url).port));
  const found = new Set((await rows<{ id: string }>('SELECT id FROM acked')).map((row) => Number(row.id)));
  expect(acked.filter((id) => !found.has(id))).toEqual([]);
});

test('a second server on the same directory does not start', async () => {
  await expect(startServer()).rejects.toThrow('did not start');
});

test('SIGTERM answers what runs, then ends with 0', async () => {
  const running = rows('SELECT sleepEachRow(0.5) AS s FROM numbers(4)', {}, { max_block_size: '1' });
  await sleep(1_000);
  server.child.kill('SIGTERM');
  server.child.kill('SIGTERM');
  const [[code], answered] = await Promise.all([once(server.child, 'exit'), running]);
  expect(code).toBe(0);
  expect(answered).toHaveLength(4);
});
