import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import { onCluster } from '../../sql/clickhouse/on-cluster.ts';
import { stack } from '../stack/api.ts';

/** No cluster runs here: what the engine alone can say about the text and the settings of one. */
const FOLDER = join(import.meta.dirname, '../../sql/migrations/clickhouse');
const DATABASE = 'on_cluster_test';
const clickhouse = createClickHouse(stack().clickhouse_url, 'main');
afterAll(async () => {
  await clickhouse.command({ query: `DROP DATABASE IF EXISTS ${DATABASE}` });
  await clickhouse.close();
});

const statements = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.sql'))
  .sort()
  .flatMap((name) => readFileSync(join(FOLDER, name), 'utf8').split(/;\s*$/m))
  .filter((part) => part.trim() !== '')
  .map((statement) => onCluster(statement, 'main'));

async function rowsOf<T>(query: string, params: Record<string, unknown> = {}): Promise<T[]> {
  const answer = await clickhouse.query({ query, query_params: params, format: 'JSONEachRow' });
  return answer.json<T>();
}

test('the engine reads the migrations of a cluster', async () => {
  for (const statement of statements) {
    const [row] = await rowsOf<{ text: string }>('SELECT formatQuery({s:String}) AS text', { s: statement });
    // Rows are replicated by their tables.
    if (!/^\s*(--.*\n)*\s*INSERT /.test(statement)) expect(row?.text).toContain('main');
    else expect(row?.text).toMatch(/^INSERT INTO/);
  }
});

test('every setting of the tables is known; their columns, keys and views hold without replication', async () => {
  await clickhouse.command({ query: `DROP DATABASE IF EXISTS ${DATABASE}` });
  await clickhouse.command({ query: `CREATE DATABASE ${DATABASE}` });
  for (const statement of statements) {
    const alone = statement
      .replace(/ ON CLUSTER '\w+'/, '')
      .replace(/Replicated(\w*MergeTree)\('[^']*', '[^']*'(?:, )?/, '$1(')
      .replaceAll(
        /\b(CREATE TABLE IF NOT EXISTS|VIEW IF NOT EXISTS|ALTER TABLE|TO|FROM|INSERT INTO) (\w+)/g,
        `$1 ${DATABASE}.$2`,
      );
    await clickhouse.command({ query: alone });
  }
  const rows = await rowsOf<{ name: string }>(
    `SELECT name FROM system.tables WHERE database = '${DATABASE}' AND engine_full LIKE '%replicated_deduplication_window = 10000%'`,
  );
  expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(['usage_events', 'usage_ids']));
});

test('a client of a cluster asks for one truth on all servers', async () => {
  const rows = await rowsOf<{ name: string; value: string }>(
    `SELECT name, value FROM system.settings WHERE name IN
       ('insert_quorum', 'insert_quorum_parallel', 'select_sequential_consistency', 'insert_quorum_timeout') ORDER BY name`,
  );
  expect(rows.map(({ name, value }) => `${name} = ${value}`)).toEqual([
    'insert_quorum = auto',
    'insert_quorum_parallel = 0',
    'insert_quorum_timeout = 30000',
    'select_sequential_consistency = 1',
  ]);
});
