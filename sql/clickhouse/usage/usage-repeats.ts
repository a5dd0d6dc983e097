import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ClickHouseClient } from '@clickhouse/client';
import type { Instant } from '../../../core/instants.ts';
import { askRows, type ClickHouseReader } from '../clickhouse.ts';

/**
 * Keeps that events were repeats: `ends` are the fixed ends of their rows (stream/usage-row.ts), which have the columns of the table
 * in this order. Repeating it changes nothing.
 */
export async function insertRepeats(client: ClickHouseClient, ends: readonly Uint8Array[]): Promise<void> {
  const answer = await client.exec({
    query: 'INSERT INTO usage_repeats (received_at, fingerprint, position, epoch) FORMAT RowBinary',
    values: Readable.from(ends, { objectMode: false }),
    clickhouse_settings: { async_insert: 0, wait_end_of_query: 1 },
  });
  await text(answer.stream);
}

/** How often an id (its fingerprint as decimal text) was repeated at or after `since`. */
export async function countRepeats(clickhouse: ClickHouseReader, fingerprint: string, since: Instant): Promise<number> {
  const sql = `SELECT uniqExact(epoch, position) AS repeats FROM usage_repeats
WHERE fingerprint = {fingerprint:UInt128} AND received_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')`;
  const [row] = await askRows<{ repeats: string }>(clickhouse, { sql, params: { fingerprint, since } });
  return Number(row?.repeats ?? 0);
}
