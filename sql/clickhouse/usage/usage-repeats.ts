import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';
import type { Instant } from '../../../core/instants.ts';
import { askRows, type ClickHouseReader } from '../clickhouse.ts';
import { ROW_COLUMNS } from './usage-landing.ts';
import type { PositionRange } from './usage-recovery.ts';

/**
 * SQL: a hash of the content of an event, from its row (spec/events#repeats). Migration 0012 keeps the same of each repeat. The
 * order of properties and the spelling of numbers do not count: maps are sorted, and numbers are decimals.
 */
export const CONTENT_HASH =
  'reinterpretAsUInt128(sipHash128(customer_id, event_name, time_created, mapSort(numbers), mapSort(strings), mapSort(booleans)))';

/**
 * Keeps that events were repeats, each with a hash of its content. `rows`: as RowBinary, in pieces that end with a row. Repeating
 * it changes nothing.
 */
export async function insertRepeats(client: ClickHouseClient, rows: readonly Uint8Array[]): Promise<void> {
  const answer = await client.exec({
    query: `INSERT INTO usage_repeats_input ${ROW_COLUMNS} FORMAT RowBinary`,
    // Repeats are scattered over a batch: to send each of thousands by itself would cost more than to copy them.
    values: Readable.from([Buffer.concat(rows)], { objectMode: false }),
    clickhouse_settings: { async_insert: 0, wait_end_of_query: 1 },
  });
  await text(answer.stream);
}

/** How often an id was repeated, and how many of these repeats differ from its first event. */
export type RepeatCounts = { repeats: number; differing: number };

/**
 * Counts the repeats of an id (its fingerprint as decimal text) at or after `since`. `content`: the hash of the id's first event,
 * as decimal text. Without it no repeat differs.
 */
export async function countRepeats(
  clickhouse: ClickHouseReader,
  { fingerprint, since, content }: { fingerprint: string; since: Instant; content: string | undefined },
): Promise<RepeatCounts> {
  const sql = `SELECT uniqExact(epoch, position) AS repeats,
  uniqExactIf((epoch, position), content NOT IN (0, {content:UInt128})) AS differing
FROM usage_repeats
WHERE fingerprint = {fingerprint:UInt128} AND received_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')`;
  const params = { fingerprint, since, content: content ?? '0' };
  const [row] = await askRows<{ repeats: string; differing: string }>(clickhouse, { sql, params });
  return { repeats: Number(row?.repeats ?? 0), differing: content === undefined ? 0 : Number(row?.differing ?? 0) };
}

/** Events of one partition of the usage stream. */
export type PartitionRange = PositionRange & { partition: number };

/** Nobody waits for a comparison, and it must not take what landing needs. */
const COMPARISON_SETTINGS: ClickHouseSettings = {
  max_execution_time: 45,
  max_memory_usage: String(2 ** 30),
  max_threads: 1,
};

/**
 * Counts the repeats in `ranges` that differ from the first event of their id, by account: accounts without any are left out. All
 * events of the ranges must have landed. `partitions`: how many the usage stream has.
 */
export async function countDifferingRepeats(
  client: ClickHouseClient,
  ranges: readonly PartitionRange[],
  partitions: number,
): Promise<{ accountId: string; repeats: number }[]> {
  const within = ranges.map((range) => withinPartition(range, partitions)).join(' OR ');
  const fingerprints = `SELECT fingerprint FROM usage_repeats WHERE ${within}`;
  // An index finds events by a few fingerprints, not by thousands. By position, which usage_ids has, it passes over most of them.
  const answer = await client.query({
    query: `SELECT account_id, count() AS repeats
      FROM (SELECT DISTINCT epoch, position, fingerprint, content FROM usage_repeats WHERE (${within}) AND content != 0) AS repeated
      INNER JOIN (
        SELECT account_id, fingerprint, ${CONTENT_HASH} AS first_content FROM usage_events
        WHERE position IN (SELECT position FROM usage_ids WHERE fingerprint IN (${fingerprints}))
          AND fingerprint IN (${fingerprints})
      ) AS firsts USING (fingerprint)
      WHERE content != first_content GROUP BY account_id ORDER BY account_id`,
    clickhouse_settings: COMPARISON_SETTINGS,
    format: 'JSONEachRow',
  });
  const rows = await answer.json<{ account_id: string; repeats: string }>();
  return rows.map(({ account_id, repeats }) => ({ accountId: account_id, repeats: Number(repeats) }));
}

/** The rule of `partitionOf` (stream/subjects.ts): messages of several partitions have their positions in turn. */
function withinPartition({ epoch, from, to, partition }: PartitionRange, partitions: number): string {
  return `(epoch = ${Number(epoch)} AND position >= ${BigInt(from)} AND position <= ${BigInt(to)}
    AND bitShiftRight(fingerprint, 96) % ${Number(partitions)} = ${Number(partition)})`;
}
