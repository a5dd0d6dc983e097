import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';

/**
 * Copies of usage, in ClickHouse's own Native format over HTTP: one way for real servers and for the local one,
 * which holds a result whole in memory; hence pages. Tables that views fill from these are not copied: they fill again.
 */
const COPIED_TABLES = ['usage_events', 'usage_ids', 'usage_audit'] as const;
export type CopiedTable = (typeof COPIED_TABLES)[number];

/** A page of a table: its rows are those for which `condition` holds. */
export type UsagePage = { table: CopiedTable; condition: string };

/** Rows of one page, some ten megabytes. */
const ROWS_PER_PAGE = 100_000;

/** A page reads one column of its whole partition; a busy server is given time. */
const PAGE_SECONDS = 600;

/** A restored row is no repeat of another one, and its partitions are few. */
const INSERT_SETTINGS: ClickHouseSettings = {
  async_insert: 0,
  wait_end_of_query: 1,
  insert_deduplicate: 0,
  max_partitions_per_insert_block: '0',
};

/**
 * The pages of a copy that holds what landed at positions up to `upTo`, and above `above` where that is given, in the order in which
 * they must be read: an event that is erased meanwhile leaves its id.
 */
export async function listUsagePages(client: ClickHouseClient, upTo: bigint, above?: bigint): Promise<UsagePage[]> {
  const landed = `position <= ${BigInt(upTo)}${above === undefined ? '' : ` AND position > ${BigInt(above)}`}`;
  const months = await ask<{ month: number; rows: string }>(
    client,
    `SELECT toYYYYMM(received_at) AS month, toString(count()) AS rows FROM usage_events WHERE ${landed} GROUP BY month ORDER BY month`,
  );
  const pages: UsagePage[] = [];
  for (const { month, rows } of months) {
    // The partition, by its rows: so the pages are right whatever becomes of the table's partitions while they are read.
    const received = `toYYYYMM(received_at) = ${Number(month)}`;
    const bounds = await positionBounds(client, `${received} AND ${landed}`, Math.ceil(Number(rows) / ROWS_PER_PAGE));
    for (const [i, from] of bounds.entries()) {
      const to = bounds[i + 1];
      const within = to === undefined ? landed : `${landed} AND position < ${to}`;
      const condition = `${received} AND position >= ${from} AND ${within}`;
      if (from !== to) pages.push({ table: 'usage_events', condition });
    }
  }
  const ids = await countPage(client, { table: 'usage_ids', condition: landed });
  for (const range of fingerprintRanges(Math.max(1, Math.ceil(ids / ROWS_PER_PAGE)))) {
    pages.push({ table: 'usage_ids', condition: `${landed} AND ${range}` });
  }
  return pages;
}

/**
 * The pages of a copy of the audit. Its rows grow while they are read, and each says how far it has counted; the first page has how far all
 * of them have at least (`insertUnaudited` of usage-audit.ts counts the rest).
 */
export async function listAuditPages(client: ClickHouseClient): Promise<UsagePage[]> {
  const parts = Math.max(1, Math.ceil((await countRows(client, 'usage_audit')) / ROWS_PER_PAGE));
  const ofAccounts = Array.from({ length: parts }, (_, part) => {
    return `account_id != '' AND cityHash64(account_id, hour) % ${parts} = ${part}`;
  });
  return ["account_id = ''", ...ofAccounts].map((condition) => ({ table: 'usage_audit', condition }));
}

/** How many rows a page has now. */
export async function countPage(client: ClickHouseClient, { table, condition }: UsagePage): Promise<number> {
  const [row] = await ask<{ rows: string }>(
    client,
    `SELECT toString(count()) AS rows FROM ${table} WHERE ${condition}`,
  );
  return Number(row?.rows);
}

/** The rows of a page, as they are to be given to {@link insertUsagePage}. */
export async function readUsagePage(client: ClickHouseClient, { table, condition }: UsagePage): Promise<Readable> {
  const answer = await client.exec({
    query: `SELECT * FROM ${table} WHERE ${condition} FORMAT Native`,
    clickhouse_settings: { max_execution_time: PAGE_SECONDS },
  });
  return answer.stream;
}

/** Ids of a page wait here, for those of copied events are in `usage_ids` by its view. */
const WAITING_IDS = 'restored_ids';

/**
 * Adds a page to an empty ClickHouse, or to one that has earlier pages of the same copy. Pages of events come before those of
 * ids. Repeating a page of events doubles it.
 */
export async function insertUsagePage(client: ClickHouseClient, table: CopiedTable, rows: Readable): Promise<void> {
  if (table !== 'usage_ids') return insertNative(client, table, rows);
  await client.command({
    query: `CREATE TABLE IF NOT EXISTS ${WAITING_IDS} AS usage_ids ENGINE = MergeTree ORDER BY fingerprint`,
  });
  await client.command({ query: `TRUNCATE TABLE ${WAITING_IDS}` });
  await insertNative(client, WAITING_IDS, rows);
  const [from, to] = [`(SELECT min(fingerprint) FROM ${WAITING_IDS})`, `(SELECT max(fingerprint) FROM ${WAITING_IDS})`];
  await client.command({
    query: `INSERT INTO usage_ids SELECT * FROM ${WAITING_IDS} WHERE fingerprint NOT IN (
              SELECT fingerprint FROM usage_ids WHERE fingerprint >= ${from} AND fingerprint <= ${to})`,
  });
  await client.command({ query: `DROP TABLE ${WAITING_IDS}` });
}

/** How many rows ClickHouse has in each table that is copied. */
export async function countUsageRows(client: ClickHouseClient): Promise<Record<CopiedTable, number>> {
  const [usage_events, usage_ids, usage_audit] = await Promise.all(
    COPIED_TABLES.map((table) => countRows(client, table)),
  );
  return { usage_events: usage_events ?? 0, usage_ids: usage_ids ?? 0, usage_audit: usage_audit ?? 0 };
}

/** The migrations that ClickHouse has run. */
export async function listUsageMigrations(client: ClickHouseClient): Promise<string[]> {
  const rows = await ask<{ name: string }>(client, 'SELECT DISTINCT name FROM schema_migrations ORDER BY name');
  return rows.map(({ name }) => name);
}

/** Where pages of a month begin, so that each has about equally many rows: exact positions, the first below all. */
async function positionBounds(client: ClickHouseClient, condition: string, pages: number): Promise<string[]> {
  if (pages <= 1) return ['0'];
  const levels = Array.from({ length: pages - 1 }, (_, i) => (i + 1) / pages).join(', ');
  const [row] = await ask<{ bounds: string[] }>(
    client,
    `SELECT arrayMap(x -> toString(toUInt64(x)), quantiles(${levels})(position)) AS bounds FROM usage_events
     WHERE ${condition}`,
  );
  return ['0', ...(row?.bounds ?? [])];
}

/** Fingerprints are hashes: equal ranges of their first 64 bits hold about equally many. */
function fingerprintRanges(pages: number): string[] {
  const start = (page: number) => `toUInt128('${((1n << 128n) * BigInt(page)) / BigInt(pages)}')`;
  return Array.from({ length: pages }, (_, page) => {
    const from = `fingerprint >= ${start(page)}`;
    return page === pages - 1 ? from : `${from} AND fingerprint < ${start(page + 1)}`;
  });
}

async function countRows(client: ClickHouseClient, table: CopiedTable): Promise<number> {
  const [row] = await ask<{ rows: string }>(client, `SELECT toString(count()) AS rows FROM ${table}`);
  return Number(row?.rows);
}

async function insertNative(client: ClickHouseClient, table: string, rows: Readable): Promise<void> {
  const query = `INSERT INTO ${table} FORMAT Native`;
  const answer = await client.exec({ query, values: rows, clickhouse_settings: INSERT_SETTINGS });
  await text(answer.stream);
}

async function ask<T>(client: ClickHouseClient, query: string): Promise<T[]> {
  return (await client.query({ query, format: 'JSONEachRow' })).json<T>();
}
