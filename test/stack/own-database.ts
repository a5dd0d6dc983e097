import type { ClickHouseClient } from '@clickhouse/client';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { newId } from '../../core/ids.ts';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import { migrate, migrateClickHouse } from '../../sql/migrate.ts';
import { createPool, type Pool } from '../../sql/postgres/pool.ts';
import { stack } from './api.ts';

/** The service answers 503 rather than wait longer than 3 s for a connection; a test waits as long as a busy machine takes. */
const CONNECT_TIMEOUT_MS = 120_000;
/** The same of a request to ClickHouse, which the service gives up after a minute. */
const REQUEST_TIMEOUT_MS = 240_000;

/** Creates a pool for what a test itself asks Postgres. Its statements may take as long as a busy machine does. */
export function patientPool(url: string): Pool {
  const pool = createPool(url, 0);
  Object.assign(pool.options, { connectionTimeoutMillis: CONNECT_TIMEOUT_MS, statement_timeout: 0 });
  return pool;
}

/**
 * A client of an empty database on the shared ClickHouse, which the test file alone uses: it is made and migrated before the
 * tests and dropped behind them (`each`: emptied before each of them). For files that write usage by themselves: what is rolled up is a
 * span of positions in the whole store, so in the shared one each file would read what all others have left.
 */
export function ownClickHouse({ each = false } = {}): ClickHouseClient {
  const { clickhouse_url } = stack();
  const name = newId('req');
  const shared = createClickHouse(clickhouse_url, undefined, REQUEST_TIMEOUT_MS);
  const own = createClickHouse(new URL(`/${name}`, clickhouse_url).href, undefined, REQUEST_TIMEOUT_MS);
  afterAll(() => Promise.all([shared.close(), own.close()]));
  beforeAll(async () => {
    await shared.command({ query: `CREATE DATABASE ${name}` });
    await migrateClickHouse(own);
  });
  if (each) beforeEach(() => emptyTables(own));
  afterAll(() => shared.command({ query: `DROP DATABASE ${name} SYNC` }));
  return own;
}

/** A truncated table has also forgotten the tokens of its inserts. */
async function emptyTables(own: ClickHouseClient): Promise<void> {
  const query = `SELECT name FROM system.tables
    WHERE database = currentDatabase() AND total_rows > 0 AND name != 'schema_migrations'`;
  const filled = await (await own.query({ query, format: 'JSONEachRow' })).json<{ name: string }>();
  for (const { name } of filled) await own.command({ query: `TRUNCATE TABLE ${name} SYNC` });
}

/** The same on the shared Postgres, for files that fill it with what no sweep of the service is to meet. */
export async function ownPostgres(): Promise<{ pool: Pool; drop(): Promise<void> }> {
  const { postgres_url, clickhouse_url } = stack();
  const name = newId('req');
  const [shared, clickhouse] = [patientPool(postgres_url), createClickHouse(clickhouse_url)];
  const own = new URL(postgres_url);
  own.pathname = `/${name}`;
  const pool = patientPool(own.href);
  const drop = async () => {
    await pool.end();
    await shared.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await shared.end();
  };
  await shared.query(`CREATE DATABASE ${name}`);
  await migrate(pool, clickhouse);
  await clickhouse.close();
  return { pool, drop };
}
