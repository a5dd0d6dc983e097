import type { ClickHouseClient } from '@clickhouse/client';
import { firstRow, type Transaction } from '../../postgres/postgres.ts';

/**
 * The highest position of the usage stream that the records have counted up to, 0 where none has been: positions at or below
 * it must not be given again. Read from two indexes.
 */
export async function loadRecordsPosition(records: Pick<Transaction, 'query'>): Promise<bigint> {
  const { rows } = await records.query<{ position: string }>(
    `SELECT greatest((SELECT max(position) FROM seals), (SELECT max(counted_to) FROM usage_marks), 0) AS position`,
  );
  return BigInt(firstRow({ rows })?.position ?? 0);
}

/** The highest position and epoch of the usage stream that have landed, 0 where none has. Reads two columns whole. */
export async function loadLandedPosition(clickhouse: ClickHouseClient): Promise<{ position: bigint; epoch: number }> {
  const answer = await clickhouse.query({
    query: `SELECT toString((SELECT max(position) FROM usage_ids)) AS position,
              greatest((SELECT max(epoch) FROM usage_events), (SELECT max(epoch) FROM usage_audit)) AS epoch`,
    format: 'JSONEachRow',
  });
  const [row] = await answer.json<{ position: string; epoch: number }>();
  return { position: BigInt(row?.position ?? 0), epoch: Number(row?.epoch ?? 0) };
}
