import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import type { Pool, PoolClient, QueryConfig } from 'pg';
import type { UmzugStorage } from 'umzug';
import { onCluster } from './clickhouse/on-cluster.ts';
import { repartitionWhereEmpty } from './clickhouse/usage/repartition-usage.ts';

/** Any fixed number: the name of the lock under which one process migrates while the others wait. */
const MIGRATION_LOCK = 5_230_917;
const LOCK_RETRY_MS = 250;
/** What sessions call themselves that migrate, or wait for it. */
const MIGRATING = 'meterbook-migration';

/**
 * Brings both databases to the newest schema; every table of accounts is behind row-level security then. Safe to run twice and by several processes at once: one migrates under a
 * Postgres advisory lock, the others wait and then find nothing to do. `cluster`: ClickHouse's (CLICKHOUSE_CLUSTER).
 * `only`: to the schema of an older release that had run just these. Throws where one of them is unknown.
 */
export async function migrate(
  postgres: Pool,
  clickhouse: ClickHouseClient,
  cluster?: string,
  only?: RunMigrations,
): Promise<void> {
  const session = await postgres.connect();
  try {
    // Calls give up a lock soon. A migration does not: each says itself how long it waits.
    await session.query(`SET application_name = '${MIGRATING}'; SET lock_timeout = 0`);
    await takeMigrationLock(session);
    const changed = await run('postgres', postgresTarget(session), only?.postgres);
    if (changed) await endEarlierSessions(session);
    if (!only) await session.query('SELECT protect_account_tables()');
    await migrateClickHouse(clickhouse, cluster, only?.clickhouse);
  } finally {
    // Ending the session, not only the lock: a migration that threw may have left a transaction open.
    session.release(true);
  }
}

/**
 * Asked for again and again: a session that waits for the lock itself would be a transaction that has begun before an index
 * is built, and the building would wait for it in turn.
 */
async function takeMigrationLock(session: PoolClient): Promise<void> {
  for (;;) {
    const sql = 'SELECT pg_try_advisory_lock($1) AS taken';
    const { rows } = await session.query<{ taken: boolean }>(sql, [MIGRATION_LOCK]);
    if (rows[0]?.taken) return;
    await sleep(LOCK_RETRY_MS);
  }
}

/** How long sessions are waited for that are never idle. */
const END_ROUNDS = 20;
const END_ROUND_MS = 100;

/**
 * Ends the sessions that began before the schema changed, each once it is idle: what a process of the release before has prepared there may
 * fail for as long as it lasts ("cached plan must not change result type"). Pools open new ones.
 */
async function endEarlierSessions(session: PoolClient): Promise<void> {
  const { rows } = await session.query<{ changed_at: string }>('SELECT clock_timestamp()::text AS changed_at');
  for (let round = 0; round < END_ROUNDS; round++) {
    const { rowCount } = await session.query(
      `SELECT CASE WHEN state = 'idle' THEN pg_terminate_backend(pid) END FROM pg_stat_activity
       WHERE datname = current_database() AND usename = current_user AND backend_type = 'client backend'
         AND application_name <> $2 AND backend_start < $1::timestamptz`,
      [rows[0]?.changed_at, MIGRATING],
    );
    if (rowCount === 0) return;
    await sleep(END_ROUND_MS);
  }
}

/** Names of migrations that have run. */
export type RunMigrations = { postgres: readonly string[]; clickhouse: readonly string[] };

/** Brings ClickHouse alone to the newest schema (`only`: as above); one process at a time. */
export async function migrateClickHouse(
  clickhouse: ClickHouseClient,
  cluster?: string,
  only?: readonly string[],
): Promise<void> {
  await run('clickhouse', clickhouseTarget(clickhouse, cluster), only);
  await repartitionWhereEmpty({ clickhouse, cluster });
}

const SCHEMA_MIGRATIONS = 'CREATE TABLE IF NOT EXISTS schema_migrations (name String) ENGINE = MergeTree ORDER BY name';

type Target = { apply(name: string, text: string): Promise<void>; storage: UmzugStorage };

/** Whether there was anything to do. */
async function run(database: 'postgres' | 'clickhouse', target: Target, only?: readonly string[]): Promise<boolean> {
  const folder = join(import.meta.dirname, 'migrations', database);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  const unknown = only?.filter((name) => !names.includes(name)) ?? [];
  if (unknown.length > 0) throw new Error(`This release does not know the migrations ${unknown.join(', ')}.`);
  const wanted = only ? names.filter((name) => only.includes(name)) : names;
  const migrations = wanted.map((name) => ({
    name,
    up: async () => target.apply(name, await readFile(join(folder, name), 'utf8')),
  }));
  const executed = new Set(await target.storage.executed({ context: {} }));
  if (migrations.every(({ name }) => executed.has(name))) return false;
  // It loads its own command line, too: a tenth of a second of CPU, which a start with nothing to migrate has not to spend.
  const { Umzug } = await import('umzug');
  const done = await new Umzug({ migrations, storage: target.storage, logger: undefined }).up();
  return done.length > 0;
}

/** An index over a large table takes its time; a lock that others need is waited for only as long as they can be kept waiting. */
const BEGIN_MIGRATION = "BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '20 s'";
const MIGRATION_LIMIT_MS = 24 * 3_600_000;

function patiently(text: string): QueryConfig & { query_timeout: number } {
  return { text, query_timeout: MIGRATION_LIMIT_MS };
}

/** Migrations with this end of their name make or drop indexes of tables that are in use, or fill a table in many steps. */
const ONLINE = '.online.sql';

/**
 * Builds and drops indexes, and fills tables, while others write: outside of a transaction, one after another. Repeating it
 * goes on where a crash has ended it; the index that was being built then is there, but not valid, and is built anew.
 */
async function applyOnline(session: PoolClient, text: string): Promise<void> {
  await session.query('SET statement_timeout = 0');
  const { rows } = await session.query<{ drop: string }>(
    `SELECT format('DROP INDEX CONCURRENTLY %I', c.relname) AS drop FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE NOT i.indisvalid AND c.relnamespace = 'public'::regnamespace`,
  );
  for (const statement of [...rows.map(({ drop }) => drop), ...statementsOf(text)]) {
    await session.query(patiently(statement));
  }
}

function statementsOf(text: string): string[] {
  return text.split(/;\s*$/m).filter((part) => part.trim() !== '');
}

/** Each migration and its record are one transaction: a crash leaves both or neither; but for what is {@link ONLINE}. */
function postgresTarget(session: PoolClient): Target {
  return {
    apply: async (name, text) => {
      if (name.endsWith(ONLINE)) await applyOnline(session, text);
      await session.query(BEGIN_MIGRATION);
      if (!name.endsWith(ONLINE)) await session.query(patiently(text));
      await session.query('INSERT INTO schema_migrations (name) VALUES ($1)', [name]);
      await session.query('COMMIT');
    },
    storage: {
      executed: async () => {
        await session.query(
          'CREATE TABLE IF NOT EXISTS schema_migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
        );
        const { rows } = await session.query<{ name: string }>('SELECT name FROM schema_migrations ORDER BY name');
        return rows.map((row) => row.name);
      },
      logMigration: async () => {},
      unlogMigration: async () => {},
    },
  };
}

/** ClickHouse has no transactions: its migrations are written so that running one again does no harm. */
function clickhouseTarget(client: ClickHouseClient, cluster: string | undefined): Target {
  const forHere = (statement: string) => (cluster ? onCluster(statement, cluster) : statement);
  return {
    apply: async (_name, text) => {
      for (const statement of statementsOf(text)) {
        await client.command({ query: forHere(statement) });
      }
    },
    storage: {
      executed: async () => {
        await client.command({
          query: forHere(SCHEMA_MIGRATIONS),
        });
        const answer = await client.query({
          query: 'SELECT DISTINCT name FROM schema_migrations',
          format: 'JSONEachRow',
        });
        return (await answer.json<{ name: string }>()).map((row) => row.name).sort();
      },
      logMigration: async ({ name }) => {
        await client.insert({ table: 'schema_migrations', values: [{ name }], format: 'JSONEachRow' });
      },
      unlogMigration: async () => {},
    },
  };
}
