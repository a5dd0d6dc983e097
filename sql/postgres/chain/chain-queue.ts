import type { ChainedKind } from '../../../billing/chain/chain.ts';
import { acrossAccounts, firstRow, type Pool, type Transaction } from '../postgres.ts';

/** A record that is written, and not chained yet. */
export type QueuedRecord = { accountId: string; kind: ChainedKind; recordId: string };

/** Whether records wait to be chained. */
export async function hasQueuedRecords(pool: Pool): Promise<boolean> {
  const sql = 'SELECT EXISTS (SELECT FROM chain_queue) AS waiting';
  return firstRow(await pool.query<{ waiting: boolean }>(sql))?.waiting ?? false;
}

/** For how many seconds the oldest record has been waiting to be chained; 0 where none does. */
export async function loadChainLag(pool: Pool): Promise<number> {
  const sql = 'SELECT extract(epoch FROM now() - queued_at) AS lag FROM chain_queue ORDER BY queue_id LIMIT 1';
  return Number(firstRow(await pool.query<{ lag: string }>(sql))?.lag ?? 0);
}

/** Chains, or publishes heads, in one transaction; undefined at once while another process does the same. */
export function whileAlone<T>(
  pool: Pool,
  doing: 'chain' | 'publish heads',
  work: (tx: Transaction) => Promise<T>,
): Promise<T | undefined> {
  return acrossAccounts(pool, async (tx) => {
    const sql = 'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS locked';
    return firstRow(await tx.query<{ locked: boolean }>(sql, [doing]))?.locked ? work(tx) : undefined;
  });
}

/**
 * Takes the oldest `limit` records from the queue, in the order in which they were written. What was committed before another was begun
 * comes before it: its place in the queue is lower, and it is seen no later.
 */
export async function takeQueuedRecords(tx: Transaction, limit: number): Promise<QueuedRecord[]> {
  const { rows } = await tx.query<{ account_id: string; kind: ChainedKind; record_id: string }>(
    `WITH taken AS (
       DELETE FROM chain_queue WHERE queue_id IN (SELECT queue_id FROM chain_queue ORDER BY queue_id LIMIT $1)
       RETURNING account_id, kind, record_id, queue_id
     )
     SELECT account_id, kind, record_id FROM taken ORDER BY queue_id`,
    [limit],
  );
  return rows.map((row) => ({ accountId: row.account_id, kind: row.kind, recordId: row.record_id }));
}
