import type { ClickHouseClient } from '@clickhouse/client';
import type { Instant } from '../../../core/instants.ts';
import type { ClickHouseReader } from '../clickhouse.ts';

/** Events by what became of them. `accepted` is counted from the usage stream, the others from claims. */
export type AuditCounts = { accepted: number; landed: number; repeated: number; deadLettered: number };

/** Counts of one account and one hour of receipt. */
export type HourAudit = AuditCounts & { accountId: string; hour: Instant };

/** A run of messages of a partition that has been audited: those after `after`, up to `to`. */
export type AuditedRun = { epoch: number; partition: number; after: number; to: number };

/** What each partition (index) has been audited up to: a stream sequence, 0 for not yet. */
export async function loadAuditedTo(client: ClickHouseReader, epoch: number, partitions: number): Promise<number[]> {
  const answer = await client.query({
    query: `SELECT partition, max(audited_to) AS audited_to FROM usage_audit
            WHERE account_id = '' AND epoch = {epoch:UInt32} GROUP BY partition`,
    query_params: { epoch },
    format: 'JSONEachRow',
  });
  const rows = await answer.json<{ partition: number; audited_to: string }>();
  const byPartition = new Map(rows.map((row) => [row.partition, Number(row.audited_to)]));
  return Array.from({ length: partitions }, (_, partition) => byPartition.get(partition) ?? 0);
}

/**
 * Keeps an audited run. Its token names where it begins: of two auditors that begin at the same place only the first one's
 * run is kept, whatever each of them read after it. A run of no messages, with which an epoch begins, ends where it begins: it has a
 * token of its own, or the run behind it would be taken for its repeat.
 */
export async function insertAudit(client: ClickHouseClient, run: AuditedRun, hours: HourAudit[]): Promise<void> {
  const { epoch, partition, after, to } = run;
  const place = { epoch, partition, audited_to: to };
  const kind = to > after ? 'run' : 'empty';
  const none = { accepted: 0, landed: 0, repeated: 0, dead_lettered: 0 };
  const rows = hours.map(({ accountId, hour, accepted, landed, repeated, deadLettered }) => {
    return { account_id: accountId, hour, ...place, accepted, landed, repeated, dead_lettered: deadLettered };
  });
  await client.insert({
    table: 'usage_audit',
    values: [{ account_id: '', hour: 0, ...place, ...none }, ...rows],
    format: 'JSONEachRow',
    clickhouse_settings: {
      async_insert: 0,
      insert_deduplicate: 1,
      insert_deduplication_token: `${kind}/${epoch}/${partition}/${after}`,
    },
  });
}

/** The sequence of the newest message that has been audited, 0 for none: nothing that the audit has counted lies above it. */
export async function loadLastAudited(client: ClickHouseReader): Promise<number> {
  const query = 'SELECT toString(max(audited_to)) AS sequence FROM usage_audit';
  const [row] = await (await client.query({ query, format: 'JSONEachRow' })).json<{ sequence: string }>();
  return Number(row?.sequence ?? 0);
}

/**
 * Counts, of a restored copy, the events of its newest epoch that have landed up to message `landedTo` and that its audit had not come to:
 * each row of the audit says how far it had, and where there is none, its partition. Repeats among them are not told: the copy does not have
 * them. `positionsAMessage`: of the stream (stream/positions.ts).
 */
export async function insertUnaudited(
  client: ClickHouseClient,
  { epoch, partitions, landedTo }: { epoch: number; partitions: number; landedTo: number },
  positionsAMessage: number,
): Promise<void> {
  const audited = await loadAuditedTo(client, epoch, partitions);
  const tail = `SELECT account_id, intDiv(toUnixTimestamp64Milli(received_at), 3600000) * 3600000 AS hour,
      toUInt16(bitShiftRight(fingerprint, 96) % {partitions:UInt32}) AS partition,
      intDiv(position, {positions:UInt64}) AS sequence
    FROM usage_events
    WHERE epoch = {epoch:UInt32} AND position >= {from:UInt64} * {positions:UInt64}
      AND position < ({landed_to:UInt64} + 1) * {positions:UInt64}`;
  await client.command({
    query: `INSERT INTO usage_audit (account_id, hour, epoch, partition, accepted, landed, repeated, dead_lettered, audited_to)
      SELECT account_id, hour, {epoch:UInt32}, partition, count() AS events, events, 0, 0, {landed_to:UInt64}
      FROM (${tail}) AS tail
      LEFT ANY JOIN (
        SELECT account_id, hour, partition, max(audited_to) AS of_row FROM usage_audit
        WHERE epoch = {epoch:UInt32} AND (account_id, hour) IN (SELECT account_id, hour FROM (${tail}))
        GROUP BY account_id, hour, partition
      ) AS audited USING (account_id, hour, partition)
      WHERE sequence > greatest(of_row, arrayElement({audited:Array(UInt64)}, partition + 1))
      GROUP BY account_id, hour, partition`,
    query_params: {
      ...{ epoch, partitions, audited, positions: positionsAMessage, landed_to: landedTo },
      from: Math.min(...audited) + 1,
    },
    clickhouse_settings: {
      async_insert: 0,
      insert_deduplicate: 0,
      wait_end_of_query: 1,
      max_execution_time: TAIL_SECONDS,
    },
  });
}

/** As long as a restore has. */
const TAIL_SECONDS = 600;

/** Hour by hour; the columns have names of their own, for an alias that is a column's name means either. */
const HOURS = `
  SELECT account_id AS account, hour AS of_hour, sum(accepted) AS a, sum(landed) AS l, sum(repeated) AS r,
    sum(dead_lettered) AS d, greatest(0, a - l - r - d) AS lost
  FROM usage_audit`;

type SumsRow = { accepted: string; landed: string; repeated: string; dead_lettered: string; missing: string };

/** An account's counts over the hours of receipt from `start` to before `end`; `missing` is summed hour by hour. */
export async function loadAudit(
  client: ClickHouseReader,
  accountId: string,
  { start, end }: { start: Instant; end: Instant },
): Promise<AuditCounts & { missing: number }> {
  const answer = await client.query({
    query: `SELECT sum(a) AS accepted, sum(l) AS landed, sum(r) AS repeated, sum(d) AS dead_lettered, sum(lost) AS missing
            FROM (${HOURS}
              WHERE account_id = {account_id:String} AND hour >= {start:Int64} AND hour < {end:Int64}
              GROUP BY account_id, hour)`,
    query_params: { account_id: accountId, start, end },
    format: 'JSONEachRow',
  });
  const [row] = await answer.json<SumsRow>();
  return {
    accepted: Number(row?.accepted ?? 0),
    landed: Number(row?.landed ?? 0),
    repeated: Number(row?.repeated ?? 0),
    deadLettered: Number(row?.dead_lettered ?? 0),
    missing: Number(row?.missing ?? 0),
  };
}

/** An account and hour in which events are missing. */
export type MissingEvents = { accountId: string; hour: Instant; missing: number };

/** The accounts and hours in which events are missing, newest first, at most `limit`, and the sum over all of them. */
export async function listMissingEvents(
  client: ClickHouseReader,
  limit: number,
): Promise<{ total: number; newest: MissingEvents[] }> {
  const answer = await client.query({
    query: `SELECT account, of_hour, lost, sum(lost) OVER () AS total FROM (${HOURS} GROUP BY account_id, hour)
            WHERE lost > 0 ORDER BY of_hour DESC, account LIMIT {limit:UInt32}`,
    query_params: { limit },
    format: 'JSONEachRow',
  });
  const rows = await answer.json<{ account: string; of_hour: string; lost: string; total: string }>();
  const newest = rows.map((row) => {
    return { accountId: row.account, hour: Number(row.of_hour), missing: Number(row.lost) };
  });
  return { total: Number(rows[0]?.total ?? 0), newest };
}
