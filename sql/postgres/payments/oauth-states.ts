import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import { firstRow, type Pool, type Transaction } from '../postgres.ts';

/** An authorization under way: where its owner is sent when it is done. */
export type OauthState = { accountId: string; provider: string; redirectUrl: string };

/** Keeps an authorization's state by its hash; ones that expired are cleared on the way. */
export async function insertOauthState(
  tx: Transaction,
  state: OauthState & { stateHash: string; createdAt: Instant; expiredBefore: Instant },
): Promise<void> {
  const { accountId, stateHash, provider, redirectUrl, createdAt, expiredBefore } = state;
  await tx.query('DELETE FROM oauth_states WHERE account_id = $1 AND created_at < $2', [
    accountId,
    isoFromInstant(expiredBefore),
  ]);
  await tx.query(
    `INSERT INTO oauth_states (account_id, state_hash, provider, redirect_url, created_at) VALUES ($1, $2, $3, $4, $5)`,
    [accountId, stateHash, provider, redirectUrl, isoFromInstant(createdAt)],
  );
}

/** Uses a state up: whoever comes with it again finds nothing. The state alone says whose it is, so no account is set. */
export async function takeOauthState(
  pool: Pool,
  { stateHash, provider, notBefore }: { stateHash: string; provider: string; notBefore: Instant },
): Promise<OauthState | undefined> {
  const answer = await pool.query<{ account_id: string; provider: string; redirect_url: string }>(
    `DELETE FROM oauth_states WHERE state_hash = $1 AND provider = $2 AND created_at >= $3
     RETURNING account_id, provider, redirect_url`,
    [stateHash, provider, isoFromInstant(notBefore)],
  );
  const row = firstRow(answer);
  return row && { accountId: row.account_id, provider: row.provider, redirectUrl: row.redirect_url };
}
