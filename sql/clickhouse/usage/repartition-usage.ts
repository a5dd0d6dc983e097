import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';
import { onCluster } from '../on-cluster.ts';

/**
 * Brings `usage_events` from a partition for each month in which its events happened to one for each in which they were received,
 * while events land and questions are asked. Its copy is compared with it and mended until the two are equal: so it does not
 * matter where an earlier try was cut off. Then the two change names, in one step.
 */

/** The copy, until it takes the place of `usage_events`; from then on it is the name of nothing. */
export const EVENTS_COPY = 'usage_events_next';

/** Under a name of its own the copy is exchanged: whoever takes the work over gives it back its name, and stops the other one so. */
const CLAIMED = 'usage_events_claimed_';

/** A constraint that no row holds: inserts fail, and are repeated by their aggregators until they are let in. */
const PAUSE = 'landing_is_paused_';

/** Another one, which stays: what had landed before the exchange is not landed again. */
const LANDED_BEFORE = 'landed_before';

/** Positions that are compared as one: of a thousand messages, at most a million events. */
const STRETCH = 2n ** 20n;

/** Stretches that one comparison tells. */
const MOST_STRETCHES = 100_000;

/** Rows of one insert into the copy: a second or two. */
const ROWS_AT_ONCE = 500_000;

/** Inserts that had begun before the pause have ended by then. */
const DRAINED_MS = 60_000;

/** Beside landing, on one thread. Rows that were once deleted from the copy are not to be passed over as a repeated block. */
const COPY_SETTINGS: ClickHouseSettings = {
  async_insert: 0,
  wait_end_of_query: 1,
  insert_deduplicate: 0,
  max_threads: 1,
  max_insert_threads: '1',
  max_execution_time: 300,
  max_partitions_per_insert_block: '0',
};

/** Positions from `from` to below `to`, in which the copy differs. `excess`: rows that it has more, below 0: fewer. */
export type Difference = { from: bigint; to: bigint; rows: number; excess: number };

/** ClickHouse, and the cluster that it is (CLICKHOUSE_CLUSTER), if any. */
type Store = { clickhouse: ClickHouseClient; cluster?: string | undefined };

type Table = { name: string; isByMonth: boolean; constraints: string[] };

/**
 * Clears away what an earlier try has left, and stops any other process at the same work. 'ready': the copy is there to be worked
 * on. 'waiting': the migration that makes it has not run. 'done': there is nothing left to do.
 */
export async function takeUpRepartition(store: Store): Promise<'ready' | 'waiting' | 'done'> {
  const tables = await listTables(store.clickhouse);
  const events = tables.find(({ name }) => name === 'usage_events');
  const copies = tables.filter(({ name }) => name !== 'usage_events');
  const claimed = copies.find(({ name }) => name !== EVENTS_COPY);
  if (events?.isByMonth && claimed) {
    // Before anything may land again: from here on nobody exchanges the two.
    await define(store, `RENAME TABLE ${claimed.name} TO ${EVENTS_COPY}`);
    return takeUpRepartition(store);
  }
  const replaced = events?.isByMonth ? [] : copies.filter(({ isByMonth }) => isByMonth);
  for (const { name } of replaced) await define(store, `DROP TABLE IF EXISTS ${name}`);
  const isLeft = (name: string) => name.startsWith(PAUSE) || (events?.isByMonth && name === LANDED_BEFORE);
  for (const { name, constraints } of tables.filter((table) => !replaced.includes(table))) {
    for (const constraint of constraints.filter(isLeft))
      await define(store, `ALTER TABLE ${name} DROP CONSTRAINT IF EXISTS ${constraint}`);
  }
  if (!events?.isByMonth) return events ? 'done' : 'waiting';
  return copies.length > 0 ? 'ready' : 'waiting';
}

/** In which stretches the copy is not equal to `usage_events`, in order. Reads the positions of both. */
export async function listDifferences({ clickhouse }: Store, copy = EVENTS_COPY): Promise<Difference[]> {
  const answer = await clickhouse.query({
    query: `SELECT toString(intDiv(position, ${STRETCH})) AS stretch, toString(countIf(excess < 0)) AS rows, toString(sum(excess)) AS over
      FROM (SELECT position, toInt8(-1) AS excess FROM usage_events UNION ALL SELECT position, toInt8(1) FROM ${copy})
      GROUP BY intDiv(position, ${STRETCH}) HAVING sum(excess) != 0 OR groupBitXor(cityHash64(position)) != 0
      ORDER BY intDiv(position, ${STRETCH}) LIMIT ${MOST_STRETCHES}`,
    clickhouse_settings: { max_execution_time: 300 },
    format: 'JSONEachRow',
  });
  const differences: Difference[] = [];
  for (const row of await answer.json<{ stretch: string; rows: string; over: string }>()) {
    const [from, rows, excess] = [BigInt(row.stretch) * STRETCH, Number(row.rows), Number(row.over)];
    const last = differences.at(-1);
    // Neighbours that lack rows are copied as one.
    if (last && last.to === from && last.excess < 0 && excess < 0 && last.rows + rows <= ROWS_AT_ONCE) {
      last.to = from + STRETCH;
      last.rows += rows;
      last.excess += excess;
    } else differences.push({ from, to: from + STRETCH, rows, excess });
  }
  return differences;
}

/** Makes the copy equal there, but for rows that land or are erased meanwhile. Safe to repeat. */
export async function mendCopy({ clickhouse }: Store, { from, to, excess }: Difference, copy = EVENTS_COPY) {
  const within = `position >= ${from} AND position < ${to}`;
  // More than there should be, or others: erased meanwhile, or copied twice.
  if (excess >= 0) {
    const clickhouse_settings = { mutations_sync: '2', max_execution_time: 600 } as const;
    await clickhouse.command({ query: `ALTER TABLE ${copy} DELETE WHERE ${within}`, clickhouse_settings });
  }
  await clickhouse.command({
    query: `INSERT INTO ${copy} SELECT * FROM usage_events
            WHERE ${within} AND position NOT IN (SELECT position FROM ${copy} WHERE ${within})`,
    clickhouse_settings: COPY_SETTINGS,
  });
}

/**
 * Lets nothing land for as long as it takes to make the copy equal, and puts it in the place of `usage_events`. `landedTo`:
 * of each partition of the usage stream the position up to which everything has landed. Where it fails everything is as before.
 */
export async function exchangeUsageEvents(store: Store, landedTo: () => readonly bigint[]): Promise<void> {
  const attempt = randomBytes(8).toString('hex');
  const [claimed, pause] = [`${CLAIMED}${attempt}`, `${PAUSE}${attempt}`];
  const isEqual = async () => {
    const differences = await listDifferences(store, claimed);
    for (const difference of differences) await mendCopy(store, difference, claimed);
    return differences.length === 0;
  };
  try {
    await define(store, `ALTER TABLE usage_events ADD CONSTRAINT ${pause} CHECK 0`);
    await define(store, `RENAME TABLE ${EVENTS_COPY} TO ${claimed}`);
    await untilDrained(store);
    while (!(await isEqual()));
    const landed = landedTo();
    if (landed.length > 0) await define(store, `ALTER TABLE ${claimed} ADD CONSTRAINT ${onlyAbove(landed)}`);
    // The view that fills usage_ids goes by the name, and is to see the first rows of the new table.
    await define(store, `ALTER TABLE ${claimed} ADD CONSTRAINT ${pause} CHECK 0`);
    await define(store, `EXCHANGE TABLES usage_events AND ${claimed}`);
  } finally {
    await define(store, `ALTER TABLE usage_events DROP CONSTRAINT IF EXISTS ${pause}`);
  }
}

/** As {@link exchangeUsageEvents}, where there is nothing to copy: a new installation, or one to be restored. */
export async function repartitionWhereEmpty(store: Store): Promise<void> {
  const answer = await store.clickhouse.query({ query: 'SELECT 1 FROM usage_events LIMIT 1', format: 'JSONEachRow' });
  if ((await answer.json()).length > 0 || (await takeUpRepartition(store)) !== 'ready') return;
  await exchangeUsageEvents(store, () => []);
  await takeUpRepartition(store);
}

/**
 * A writer that was stopped within its insert and wakes up after the exchange finds a table without memory of its token: what had
 * landed before is refused there by its position. `fingerprint` tells the partition as `partitionOf` (stream/subjects.ts) does.
 */
function onlyAbove(landedTo: readonly bigint[]): string {
  const bounds = `[${landedTo.map((position) => `toUInt64(${position})`).join(', ')}]`;
  return `${LANDED_BEFORE} CHECK position > ${bounds}[1 + bitShiftRight(fingerprint, 96) % ${landedTo.length}]`;
}

/** Until all that may have begun before the pause has ended: inserts, and what another process at the same work does to the copy. */
async function untilDrained({ clickhouse, cluster }: Store): Promise<void> {
  const of = (table: string) => (cluster ? `clusterAllReplicas('${cluster}', system.${table})` : `system.${table}`);
  const begun = `^(INSERT INTO usage_events(_next|_claimed_[0-9a-f]+)? |ALTER TABLE usage_events_)`;
  for (const until = performance.now() + DRAINED_MS; ; await sleep(20)) {
    const answer = await clickhouse.query({
      query: `SELECT (SELECT count() FROM ${of('processes')} WHERE match(query, '${begun}'))
        + (SELECT count() FROM ${of('mutations')} WHERE database = currentDatabase() AND startsWith(table, 'usage_events_') AND NOT is_done)
        AS running`,
      format: 'JSONEachRow',
    });
    const [row] = await answer.json<{ running: string }>();
    if (Number(row?.running) === 0) return;
    if (performance.now() > until) throw new Error('What changes usage_events does not end.');
  }
}

/** Whether there is a copy of `usage_events` that is still worked on. */
export async function isCopied(clickhouse: ClickHouseClient): Promise<boolean> {
  return (await listTables(clickhouse)).some(({ name }) => name === EVENTS_COPY);
}

async function listTables(clickhouse: ClickHouseClient): Promise<Table[]> {
  const answer = await clickhouse.query({
    query: `SELECT name, partition_key = 'toYYYYMM(time_created)' AS by_month,
              extractAll(create_table_query, 'CONSTRAINT ([a-z_0-9]+)') AS constraints
            FROM system.tables WHERE database = currentDatabase()
              AND (name IN ('usage_events', '${EVENTS_COPY}') OR startsWith(name, '${CLAIMED}'))`,
    format: 'JSONEachRow',
  });
  const rows = await answer.json<{ name: string; by_month: number; constraints: string[] }>();
  return rows.map(({ name, by_month, constraints }) => ({ name, isByMonth: by_month === 1, constraints }));
}

/** On a cluster: on all its servers when it returns. */
async function define({ clickhouse, cluster }: Store, statement: string): Promise<void> {
  const query = cluster ? onCluster(statement, cluster) : statement;
  await clickhouse.command({ query, clickhouse_settings: { alter_sync: '2' } });
}
