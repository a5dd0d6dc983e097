import type { ChainEntry, ChainedKind, ChainHead } from '../../../billing/chain/chain.ts';
import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import { firstRow, type Transaction } from '../postgres.ts';

type EntryRow = {
  sequence: string;
  kind: ChainedKind;
  record_id: string;
  content: string;
  salt: string | null;
  chained_at: Instant;
  chain_hash: string;
};

/** Stores entries of an account. Postgres refuses a sequence or a record that has one. */
export async function insertChainEntries(
  tx: Transaction,
  accountId: string,
  entries: readonly ChainEntry[],
): Promise<void> {
  await tx.query(
    `INSERT INTO chain_entries (account_id, sequence, kind, record_id, content, salt, chained_at, chain_hash)
     SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::text[])`,
    [
      accountId,
      entries.map(({ sequence }) => sequence),
      entries.map(({ kind }) => kind),
      entries.map(({ recordId }) => recordId),
      entries.map(({ content }) => content),
      entries.map(({ salt }) => salt),
      entries.map(({ chainedAt }) => isoFromInstant(chainedAt)),
      entries.map(({ chainHash }) => chainHash),
    ],
  );
}

/** The head of an account's chain; undefined of one that has not begun. */
export async function findChainHead(tx: Transaction, accountId: string): Promise<ChainHead | undefined> {
  return (await findChainEnd(tx, accountId))?.head;
}

/** The head of an account's chain, and whether the entry before it is there, or it is the first. */
export async function findChainEnd(
  tx: Transaction,
  accountId: string,
): Promise<{ head: ChainHead; follows: boolean } | undefined> {
  const answer = await tx.query<Pick<EntryRow, 'sequence' | 'chain_hash' | 'chained_at'> & { follows: boolean }>(
    `SELECT sequence, chain_hash, chained_at, sequence = 1 OR EXISTS (
       SELECT FROM chain_entries b WHERE b.account_id = $1 AND b.sequence = e.sequence - 1) AS follows
     FROM chain_entries e WHERE account_id = $1 ORDER BY sequence DESC LIMIT 1`,
    [accountId],
  );
  const row = firstRow(answer);
  if (!row) return undefined;
  const head = { sequence: Number(row.sequence), chainHash: row.chain_hash, chainedAt: row.chained_at };
  return { head, follows: row.follows };
}

/** The next `limit` entries of an account behind `after`, in order. */
export async function listChainEntries(
  tx: Transaction,
  accountId: string,
  after: number,
  limit: number,
): Promise<ChainEntry[]> {
  const { rows } = await tx.query<EntryRow>(
    `SELECT sequence, kind, record_id, content, salt, chained_at, chain_hash FROM chain_entries
     WHERE account_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3`,
    [accountId, after, limit],
  );
  return rows.map((row) => ({
    sequence: Number(row.sequence),
    kind: row.kind,
    recordId: row.record_id,
    content: row.content,
    salt: row.salt,
    chainedAt: row.chained_at,
    chainHash: row.chain_hash,
  }));
}

/**
 * The next `limit` ids behind `after` of accounts, and of whatever else a chain says it is of: an account that is gone has left its chain. One look at the
 * index for each chain.
 */
export async function listChainedAccountsAfter(tx: Transaction, after: string, limit: number): Promise<string[]> {
  const { rows } = await tx.query<{ account_id: string }>(
    `WITH RECURSIVE chained AS (
       (SELECT account_id FROM chain_entries WHERE account_id > $1 ORDER BY account_id LIMIT 1)
       UNION ALL
       SELECT (SELECT e.account_id FROM chain_entries e WHERE e.account_id > c.account_id ORDER BY e.account_id LIMIT 1)
       FROM chained c WHERE c.account_id IS NOT NULL
     )
     (SELECT account_id FROM chained WHERE account_id IS NOT NULL LIMIT $2)
     UNION (SELECT account_id FROM accounts WHERE account_id > $1 ORDER BY account_id LIMIT $2)
     ORDER BY account_id LIMIT $2`,
    [after, limit],
  );
  return rows.map(({ account_id }) => account_id);
}
