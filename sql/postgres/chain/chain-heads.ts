import type { PublishedHead } from '../../../billing/chain/chain.ts';
import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import { acrossAccounts, firstRow, type Pool, type Transaction } from '../postgres.ts';

/** A published head that the chain does not have (any more): what stands at its sequence, null where nothing does. */
export type BentHead = PublishedHead & { stored: string | null };

type HeadRow = { account_id: string; sequence: string; chain_hash: string; published_at: Instant };

/**
 * Keeps the head of every account whose oldest entry that is behind its last published head was chained before `before`; answers them. An entry without the one
 * before it is none of the chain: nothing is chained behind it, and once it is gone its head would be missed.
 */
export async function insertDueHeads(tx: Transaction, before: Instant, now: Instant): Promise<PublishedHead[]> {
  const { rows } = await tx.query<HeadRow>(
    `INSERT INTO chain_heads (account_id, sequence, chain_hash, published_at)
     SELECT a.account_id, h.sequence, h.chain_hash, $2 FROM accounts a
       LEFT JOIN LATERAL (
         SELECT sequence FROM chain_heads p WHERE p.account_id = a.account_id ORDER BY sequence DESC LIMIT 1
       ) p ON true
       JOIN chain_entries e ON e.account_id = a.account_id AND e.sequence = coalesce(p.sequence, 0) + 1 AND e.chained_at < $1
       JOIN LATERAL (
         SELECT sequence, chain_hash FROM chain_entries h
         WHERE h.account_id = a.account_id AND (h.sequence = 1
           OR EXISTS (SELECT FROM chain_entries f WHERE f.account_id = h.account_id AND f.sequence = h.sequence - 1))
         ORDER BY sequence DESC LIMIT 1
       ) h ON true
     RETURNING account_id, sequence, chain_hash, published_at`,
    [isoFromInstant(before), isoFromInstant(now)],
  );
  return rows.map(headFromRow);
}

/** The oldest `limit` heads that have not been given to file and witness. */
export async function listHeadsToWitness(pool: Pool, limit: number): Promise<PublishedHead[]> {
  const { rows } = await pool.query<HeadRow>(
    `SELECT account_id, sequence, chain_hash, published_at FROM chain_heads
     WHERE witnessed_at IS NULL ORDER BY published_at LIMIT $1`,
    [limit],
  );
  return rows.map(headFromRow);
}

/** For how many seconds the oldest head has been waiting to be given to file and witness; 0 where none does. */
export async function loadWitnessLag(pool: Pool): Promise<number> {
  const sql = 'SELECT extract(epoch FROM now() - min(published_at)) AS lag FROM chain_heads WHERE witnessed_at IS NULL';
  return Number(firstRow(await pool.query<{ lag: string | null }>(sql))?.lag ?? 0);
}

/** They have been given to file and witness. */
export async function updateHeadsWitnessed(pool: Pool, heads: readonly PublishedHead[], at: Instant): Promise<void> {
  await acrossAccounts(pool, (tx) =>
    tx.query(
      `UPDATE chain_heads h SET witnessed_at = $3 FROM unnest($1::text[], $2::bigint[]) AS w (account_id, sequence)
       WHERE h.account_id = w.account_id AND h.sequence = w.sequence`,
      [heads.map(({ accountId }) => accountId), heads.map(({ sequence }) => sequence), isoFromInstant(at)],
    ),
  );
}

/** Those of these heads, of any account, that its chain does not have. */
export async function findBentHeads(tx: Transaction, heads: readonly PublishedHead[]): Promise<BentHead[]> {
  const { rows } = await tx.query<{ n: number; stored: string | null }>(
    `SELECT h.n::int - 1 AS n, e.chain_hash AS stored
     FROM unnest($1::text[], $2::bigint[], $3::text[]) WITH ORDINALITY AS h (account_id, sequence, chain_hash, n)
       LEFT JOIN chain_entries e ON e.account_id = h.account_id AND e.sequence = h.sequence
     WHERE e.chain_hash IS DISTINCT FROM h.chain_hash ORDER BY h.n`,
    [
      heads.map(({ accountId }) => accountId),
      heads.map(({ sequence }) => sequence),
      heads.map(({ chainHash }) => chainHash),
    ],
  );
  return rows.flatMap(({ n, stored }) => {
    const head = heads[n];
    return head ? [{ ...head, stored }] : [];
  });
}

/** The first head that the records themselves keep of an account, and its chain does not have. */
export async function findBentHead(tx: Transaction, accountId: string): Promise<BentHead | undefined> {
  const { rows } = await tx.query<HeadRow & { stored: string | null }>(
    `SELECT h.account_id, h.sequence, h.chain_hash, h.published_at, e.chain_hash AS stored
     FROM chain_heads h LEFT JOIN chain_entries e ON e.account_id = h.account_id AND e.sequence = h.sequence
     WHERE h.account_id = $1 AND e.chain_hash IS DISTINCT FROM h.chain_hash ORDER BY h.sequence LIMIT 1`,
    [accountId],
  );
  const [row] = rows;
  return row && { ...headFromRow(row), stored: row.stored };
}

/** The newest published head of an account. */
export async function findPublishedHead(tx: Transaction, accountId: string): Promise<PublishedHead | undefined> {
  const { rows } = await tx.query<HeadRow>(
    `SELECT account_id, sequence, chain_hash, published_at FROM chain_heads WHERE account_id = $1 ORDER BY sequence DESC LIMIT 1`,
    [accountId],
  );
  return rows.map(headFromRow)[0];
}

function headFromRow(row: HeadRow): PublishedHead {
  const { account_id: accountId, chain_hash: chainHash, published_at: publishedAt } = row;
  return { accountId, sequence: Number(row.sequence), chainHash, publishedAt };
}
