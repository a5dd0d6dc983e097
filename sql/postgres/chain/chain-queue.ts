import { type Bent, type ChainedKind, queuedAgain } from '../../../billing/chain/chain.ts';
import { acrossAccounts, firstRow, lookAcrossAccounts, type Pool, type Transaction } from '../postgres.ts';

/**
 * A record of the queue: written, and not chained yet, so that `chainedAs` is null. The sequence of an entry that it has already: the
 * row came past the service.
 */
export type QueuedRecord = { accountId: string; kind: ChainedKind; recordId: string; chainedAs: number | null };

/** Whether records wait to be chained. */
export async function hasQueuedRecords(pool: Pool): Promise<boolean> {
  const sql = 'SELECT EXISTS (SELECT FROM chain_queue) AS waiting';
  return firstRow(await lookAcrossAccounts<{ waiting: boolean }>(pool, sql))?.waiting ?? false;
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

/** A record of the queue, and its place there. */
export type QueuedAt = QueuedRecord & { queueId: string };

/**
 * The oldest `limit` records of the queue that are of no account of `except`, in the order in which they were written. What was committed
 * before another was begun comes before it: its place in the queue is lower, and it is seen no later.
 */
export async function listQueuedRecords(
  tx: Transaction,
  limit: number,
  except: readonly string[],
): Promise<QueuedAt[]> {
  const { rows } = await tx.query<QueueRow & { account_id: string; queue_id: string }>(
    `SELECT account_id, kind, record_id, queue_id,
       (SELECT e.sequence FROM chain_entries e WHERE e.account_id = q.account_id AND e.record_id = q.record_id) AS sequence
     FROM chain_queue q WHERE account_id <> ALL($2) ORDER BY queue_id LIMIT $1`,
    [limit, except],
  );
  return rows.map(({ account_id: accountId, kind, record_id: recordId, queue_id: queueId, sequence }) => {
    return { accountId, kind, recordId, queueId, chainedAs: sequence === null ? null : Number(sequence) };
  });
}

/** Takes records from the queue. */
export async function deleteQueuedRecords(tx: Transaction, taken: readonly QueuedAt[]): Promise<void> {
  const ids = taken.map(({ queueId }) => queueId);
  await tx.query('DELETE FROM chain_queue WHERE queue_id = ANY($1::bigint[])', [ids]);
}

type QueueRow = { kind: ChainedKind; record_id: string; sequence: string | null };

/** The oldest row of an account's queue whose record has its entry already. */
export async function findQueuedAgain(tx: Transaction, accountId: string): Promise<Bent | undefined> {
  const { rows } = await tx.query<QueueRow>(
    `SELECT q.kind, q.record_id, e.sequence
     FROM chain_queue q JOIN chain_entries e ON e.account_id = q.account_id AND e.record_id = q.record_id
     WHERE q.account_id = $1 ORDER BY q.queue_id LIMIT 1`,
    [accountId],
  );
  return rows.map(({ kind, record_id, sequence }) => queuedAgain(kind, record_id, Number(sequence)))[0];
}
