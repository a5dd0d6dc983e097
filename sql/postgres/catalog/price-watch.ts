import { type Decimal, toPlain } from '../../../core/decimal.ts';
import { type Instant, isoOrNull } from '../../../core/instants.ts';
import { firstRow, lookAcrossAccounts, type Pool, type Transaction } from '../postgres.ts';

/** A price book of a plan version in use that holds what no row prices; `lastRow`: its newest row, 0 for none. */
export type WatchedBook = {
  accountId: string;
  planId: string;
  version: number;
  versionId: string;
  metricId: string;
  groupBy: readonly string[];
  lastRow: bigint;
};

type WatchedRow = {
  account_id: string;
  plan_id: string;
  version: number;
  version_id: string;
  metric_id: string;
  group_by: string[];
  last_row: string | null;
};

/** The price books of all accounts for which usage without a price is looked for: those of versions that subscriptions live on. */
export async function listWatchedPriceBooks(pool: Pool): Promise<WatchedBook[]> {
  const { rows } = await lookAcrossAccounts<WatchedRow>(
    pool,
    `SELECT c.account_id, v.plan_id, v.version, v.version_id, c.metric_id, c.group_by,
       (SELECT max(r.seq) FROM plan_prices r WHERE r.account_id = c.account_id AND r.version_id = c.version_id
         AND r.metric_id = c.metric_id) AS last_row
     FROM plan_components c JOIN plan_versions v USING (account_id, version_id)
     WHERE c.unmatched = 'hold' AND EXISTS (SELECT FROM subscriptions s WHERE s.account_id = v.account_id
       AND s.plan_id = v.plan_id AND s.version = v.version AND s.status IN ('pending', 'active', 'paused'))
     ORDER BY c.account_id, c.metric_id, v.version_id`,
  );
  return rows.map((row) => ({
    ...{ accountId: row.account_id, planId: row.plan_id, version: row.version, versionId: row.version_id },
    ...{ metricId: row.metric_id, groupBy: row.group_by, lastRow: BigInt(row.last_row ?? 0) },
  }));
}

/** A subscription that is to be looked at. */
export type HolderToLookAt = { seq: string; accountId: string; subscriptionId: string };

/** The oldest subscriptions that are to be looked at, of all accounts but those. */
export async function listHoldersToLookAt(
  pool: Pool,
  butOf: readonly string[],
  limit: number,
): Promise<HolderToLookAt[]> {
  const { rows } = await lookAcrossAccounts<{ seq: string; account_id: string; subscription_id: string }>(
    pool,
    `SELECT seq, account_id, subscription_id FROM holders_to_look_at
     WHERE account_id <> ALL($1) ORDER BY seq LIMIT $2`,
    [butOf, limit],
  );
  return rows.map(({ seq, account_id: accountId, subscription_id: subscriptionId }) => ({
    seq,
    accountId,
    subscriptionId,
  }));
}

/** They have been looked at. */
export async function deleteHoldersLookedAt(
  tx: Transaction,
  accountId: string,
  seqs: readonly string[],
): Promise<void> {
  await tx.query('DELETE FROM holders_to_look_at WHERE account_id = $1 AND seq = ANY($2)', [accountId, seqs]);
}

/**
 * What a worker finds when it claims the watch: `looksFrom` is the position from which on to look, null for where the stream is now.
 * `wasOwn` is false if another worker held the watch until now.
 */
export type PriceWatchClaim = { looksFrom: bigint | null; wasOwn: boolean };

/** Takes the watch for `seconds`, or keeps it; undefined while another worker has it. */
export async function claimPriceWatch(
  pool: Pool,
  worker: string,
  seconds: number,
): Promise<PriceWatchClaim | undefined> {
  const row = firstRow(
    await lookAcrossAccounts<{ looked_to: string | null; was_own: boolean }>(
      pool,
      `WITH before AS (SELECT held_by FROM price_watch WHERE held_by = $1 OR held_until < now() FOR UPDATE)
       UPDATE price_watch SET held_by = $1, held_until = now() + make_interval(secs => $2)
       FROM before RETURNING looked_to, before.held_by IS NOT DISTINCT FROM $1 AS was_own`,
      [worker, seconds],
    ),
  );
  if (!row) return undefined;
  return { looksFrom: row.looked_to === null ? null : BigInt(row.looked_to), wasOwn: row.was_own };
}

/** Keeps the watch for `seconds` more, unless another worker has taken it. */
export async function renewPriceWatch(pool: Pool, worker: string, seconds: number): Promise<void> {
  const sql = 'UPDATE price_watch SET held_until = now() + make_interval(secs => $2) WHERE held_by = $1';
  await pool.query(sql, [worker, seconds]);
}

/**
 * Notes that everything up to `position` has been looked through; never moves back. Does nothing if another worker has taken the watch:
 * that one may have looked at a subscription already that this one did not know, and relies on the position from then on.
 */
export async function advancePriceWatch(pool: Pool, worker: string, position: bigint): Promise<void> {
  const sql = 'UPDATE price_watch SET looked_to = greatest(looked_to, $2) WHERE held_by = $1';
  await pool.query(sql, [worker, position.toString()]);
}

/** Notes that nobody has such a price book any more: the next one is looked for from where the stream is then. */
export async function endPriceWatch(pool: Pool, worker: string): Promise<void> {
  await pool.query('UPDATE price_watch SET looked_to = NULL WHERE held_by = $1 AND looked_to IS NOT NULL', [worker]);
}

/** The accounts that are behind all others, and up to which position each has been looked through. */
export async function listAccountsBehind(pool: Pool): Promise<Map<string, bigint>> {
  const { rows } = await pool.query<{ account_id: string; looked_to: string }>(
    'SELECT account_id, looked_to FROM accounts_to_look_at',
  );
  return new Map(rows.map(({ account_id, looked_to }) => [account_id, BigInt(looked_to)]));
}

/** Notes that the account has been looked through up to `position` alone; the rest is looked through later. Keeps a lower position. */
export async function insertAccountBehind(tx: Transaction, accountId: string, position: bigint): Promise<void> {
  await tx.query(
    `INSERT INTO accounts_to_look_at (account_id, looked_to) VALUES ($1, $2)
     ON CONFLICT (account_id) DO UPDATE SET looked_to = least(accounts_to_look_at.looked_to, excluded.looked_to)`,
    [accountId, position.toString()],
  );
}

/**
 * Moves an account that stayed behind from one position to another, or to the others (null). Does nothing if another worker has
 * changed its position meanwhile.
 */
export async function updateAccountBehind(
  tx: Transaction,
  accountId: string,
  { above, upTo }: { above: bigint; upTo: bigint | null },
): Promise<void> {
  const sql =
    upTo === null
      ? 'DELETE FROM accounts_to_look_at WHERE account_id = $1 AND looked_to = $2'
      : 'UPDATE accounts_to_look_at SET looked_to = $3 WHERE account_id = $1 AND looked_to = $2';
  await tx.query(sql, [accountId, above.toString(), ...(upTo === null ? [] : [upTo.toString()])]);
}

/** Takes it on to count what is held; false where it was counted within `seconds`, or another worker is about to. */
export async function claimHeldCount(pool: Pool, seconds: number): Promise<boolean> {
  const sql = `UPDATE price_watch SET counted_at = now() WHERE counted_at < now() - make_interval(secs => $1)`;
  return (await pool.query(sql, [seconds])).rowCount === 1;
}

/** The accounts that were told of anything without a price. */
export async function listAccountsTold(pool: Pool): Promise<string[]> {
  const sql = `SELECT account_id FROM accounts a
    WHERE EXISTS (SELECT FROM missing_prices m WHERE m.account_id = a.account_id) ORDER BY account_id`;
  return (await pool.query<{ account_id: string }>(sql)).rows.map(({ account_id }) => account_id);
}

/** Events that are held, and since when the first told of their combinations has been told; null where none is held. */
export type HeldCount = { events: Decimal; toldSince: Instant | null };

/** Keeps what is held in all. */
export async function updateHeldCount(pool: Pool, { events, toldSince }: HeldCount): Promise<void> {
  const values = [toPlain(events), isoOrNull(toldSince)];
  await pool.query('UPDATE price_watch SET held_events = $1, told_since = $2', values);
}

/** Events that are held, as they were last counted. */
export async function loadHeldEvents(pool: Pool): Promise<number> {
  return Number(firstRow(await pool.query<{ held: string }>('SELECT held_events AS held FROM price_watch'))?.held ?? 0);
}

/** For how many seconds what is held has been told of, the oldest of it; 0 where nothing is held. */
export async function loadHeldAge(pool: Pool): Promise<number> {
  const sql = 'SELECT coalesce(extract(epoch FROM now() - told_since), 0) AS age FROM price_watch';
  return Number(firstRow(await pool.query<{ age: string }>(sql))?.age ?? 0);
}

/** How many combinations have been told of as without a price. */
export async function loadMissingPricesTold(pool: Pool): Promise<number> {
  const sql = 'SELECT count(*) AS told FROM missing_prices';
  return Number(firstRow(await pool.query<{ told: string }>(sql))?.told ?? 0);
}
