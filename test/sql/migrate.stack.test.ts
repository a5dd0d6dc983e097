import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import { migrate } from '../../sql/migrate.ts';
import { createPool, type Pool } from '../../sql/postgres/postgres.ts';
import { stack } from '../stack/api.ts';
import { waitUntil } from '../stack/wait-until.ts';

const DATABASE = `migrated_${process.pid}_${Date.now()}`;
const BUILDS = "query LIKE '%CREATE INDEX CONCURRENTLY%' AND datname = current_database() AND pid <> pg_backend_pid()";
/** The migrations before the first that builds indexes. */
const ofDatabase = (name: string) => {
  const files = readdirSync(join(import.meta.dirname, '../../sql/migrations', name)).sort();
  const online = files.findIndex((file) => file.endsWith('.online.sql'));
  return online === -1 ? files : files.slice(0, online);
};
const clickhouse = createClickHouse(stack().clickhouse_url);
let server: Pool;
let postgres: Pool;

beforeAll(async () => {
  server = createPool(stack().postgres_url);
  await server.query(`CREATE DATABASE ${DATABASE}`);
  const url = new URL(stack().postgres_url);
  url.pathname = `/${DATABASE}`;
  postgres = createPool(url.href);
  await migrate(postgres, clickhouse, undefined, {
    postgres: ofDatabase('postgres'),
    clickhouse: ofDatabase('clickhouse'),
  });
});
afterAll(async () => {
  await postgres.end();
  await server.query(`DROP DATABASE ${DATABASE} WITH (FORCE)`);
  await Promise.all([server.end(), clickhouse.close()]);
});

test('indexes are built while others write; what a crash left half built is built anew; two at once do not wait for ever', async () => {
  const writer = await postgres.connect();
  await writer.query('BEGIN');
  await writer.query(
    "INSERT INTO accounts (account_id, name, mode, default_currency, created_at) VALUES ('a', 'A', 'test', 'usd', now())",
  );
  const plan = `INSERT INTO plans (account_id, plan_id, billing_period, currency, status, latest_version, created_at)
    VALUES ('a', $1, 'monthly', 'usd', 'active', 1, now())`;
  await writer.query(plan, ['before']);

  const killed = migrate(postgres, clickhouse).catch((error: unknown) => error);
  // It waits for whoever was writing to the table when it began; others go on writing.
  const building = async () =>
    (await postgres.query(`SELECT pid FROM pg_stat_activity WHERE ${BUILDS}`)).rowCount === 1;
  const halfBuilt = async () =>
    (await postgres.query("SELECT FROM pg_index WHERE NOT indisvalid AND indexrelid = 'plans_newest'::regclass"))
      .rowCount;
  await waitUntil(building, (isBuilding) => isBuilding);
  await waitUntil(
    () => halfBuilt().catch(() => 0),
    (count) => count === 1,
  );
  const other = await postgres.connect();
  await other.query('BEGIN');
  await other.query(
    "INSERT INTO oauth_states (account_id, state_hash, provider, redirect_url, created_at) SELECT account_id, 'h', 'stripe', '', now() FROM accounts",
  );
  await other.query("UPDATE plans SET status = 'archived' WHERE plan_id = 'none'");
  await other.query('COMMIT');
  other.release();

  await postgres.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${BUILDS}`);
  expect(await killed).toBeInstanceOf(Error);
  expect(await halfBuilt()).toBe(1);
  await writer.query('COMMIT');
  writer.release();

  await Promise.all([migrate(postgres, clickhouse), migrate(postgres, clickhouse)]);
  expect(await halfBuilt()).toBe(0);
  const { rows } = await postgres.query(
    "SELECT indexname FROM pg_indexes WHERE indexname IN ('plans_newest', 'invoices_of_customer')",
  );
  expect(rows).toEqual([{ indexname: 'plans_newest' }]);
  const { rows: run } = await postgres.query("SELECT name FROM schema_migrations WHERE name LIKE '%.online.sql'");
  expect(run).toContainEqual({ name: '0103_list_indexes.online.sql' });
});
