import type { Bent, ChainCheck } from '../../../billing/chain/chain.ts';
import type { Decimal } from '../../../core/decimal.ts';
import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import { stringifyExactJson } from '../../../runtime/exact-json.ts';
import { acrossAccounts, firstRow, type Pool, type Transaction } from '../postgres.ts';

/**
 * Reads what a check of chains compares, of whatever account, as it is: what row-level security would hide of it is an error. A
 * statement may take longer than those that callers wait for.
 */
export function whileVerifying<T>(pool: Pool, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return acrossAccounts(pool, async (tx) => {
    await tx.query('SET TRANSACTION READ ONLY');
    await tx.query('SET LOCAL row_security = off');
    return work(tx);
  });
}

/** What the newest check has found takes the place of what an earlier one had. */
export async function replaceChainCheck(pool: Pool, accountId: string, check: ChainCheck): Promise<void> {
  await acrossAccounts(pool, (tx) =>
    tx.query(
      `INSERT INTO chain_checks (account_id, checked_at, entries, bent) VALUES ($1, $2, $3, $4)
       ON CONFLICT (account_id) DO UPDATE SET checked_at = excluded.checked_at, entries = excluded.entries, bent = excluded.bent`,
      [
        accountId,
        isoFromInstant(check.checkedAt),
        check.entries,
        check.bent && stringifyExactJson(bentToStored(check.bent)),
      ],
    ),
  );
}

/**
 * Keeps what was found of an account between two checks, until the next one; where something is known already, that stays: false.
 */
export async function noteBent(tx: Transaction, accountId: string, bent: Bent, now: Instant): Promise<boolean> {
  const { rowCount } = await tx.query(
    `INSERT INTO chain_checks (account_id, checked_at, entries, bent) VALUES ($1, $2, 0, $3)
     ON CONFLICT (account_id) DO UPDATE SET bent = excluded.bent WHERE chain_checks.bent IS NULL`,
    [accountId, isoFromInstant(now), stringifyExactJson(bentToStored(bent))],
  );
  return rowCount === 1;
}

/** The newest check of an account's chain. */
export async function findChainCheck(tx: Transaction, accountId: string): Promise<ChainCheck | undefined> {
  const answer = await tx.query<{ checked_at: Instant; entries: string; bent: StoredBent | null }>(
    'SELECT checked_at, entries, bent FROM chain_checks WHERE account_id = $1',
    [accountId],
  );
  const row = firstRow(answer);
  return row && { checkedAt: row.checked_at, entries: Number(row.entries), bent: row.bent && bentFromStored(row.bent) };
}

/** Of how many accounts the newest check has found something bent. */
export async function countBentChains(pool: Pool): Promise<number> {
  const sql = 'SELECT count(*)::integer AS count FROM chain_checks WHERE bent IS NOT NULL';
  return firstRow(await acrossAccounts(pool, (tx) => tx.query<{ count: number }>(sql)))?.count ?? 0;
}

type StoredBent = Pick<Bent, 'found' | 'kind' | 'fields'> & { sequence: Decimal | null; record_id: string | null };

function bentToStored({ recordId: record_id, ...bent }: Bent) {
  return { ...bent, record_id };
}

function bentFromStored({ record_id: recordId, sequence, ...bent }: StoredBent): Bent {
  return { ...bent, sequence: sequence?.toNumber() ?? null, recordId };
}
