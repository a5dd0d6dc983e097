import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import type { Scope } from '../../../core/scopes.ts';
import type { Caller } from '../../../runtime/http/api-key.ts';
import { firstRow, type Pool, type Transaction } from '../postgres.ts';

/** A session, and the key that it stands for as that is now. */
export type ConsoleSession = {
  sessionId: string;
  caller: Caller;
  keyName: string;
  createdAt: Instant;
  lastUsedAt: Instant;
  /** From then on its key is of no use: its expiry, or when it was revoked. Null: never. */
  keyEndsAt: Instant | null;
};

type SessionRow = {
  session_id: string;
  created_at: Instant;
  last_used_at: Instant;
  account_id: string;
  key_id: string;
  key_name: string;
  scopes: Scope[];
  key_ends_at: Instant | null;
  mode: 'test' | 'live';
  rate_limit: number | null;
};

/** Stores a new session by the hash of its token, where its key is of use: it stays so until the transaction is over. False: it is not. */
export async function insertConsoleSession(
  tx: Transaction,
  accountId: string,
  session: { sessionId: string; tokenHash: Buffer; keyId: string },
  createdAt: Instant,
): Promise<boolean> {
  const answer = await tx.query(
    `INSERT INTO console_sessions (account_id, session_id, token_hash, key_id, created_at, last_used_at)
     SELECT account_id, $2, $3, key_id, $5, $5 FROM api_keys
     WHERE account_id = $1 AND key_id = $4 AND coalesce(least(expires_at, revoked_at) > $5, true)
     FOR SHARE`,
    [accountId, session.sessionId, session.tokenHash, session.keyId, isoFromInstant(createdAt)],
  );
  return answer.rowCount === 1;
}

/** The session whose token has one of these hashes, over or not. The token alone says whose it is, so no account is set. */
export async function findConsoleSession(pool: Pool, tokenHashes: Buffer[]): Promise<ConsoleSession | undefined> {
  const answer = await pool.query<SessionRow>(
    `SELECT s.session_id, s.created_at, s.last_used_at, s.account_id, s.key_id, k.name AS key_name, k.scopes,
       least(k.expires_at, k.revoked_at) AS key_ends_at, a.mode, a.rate_limit
     FROM console_sessions s JOIN api_keys k USING (account_id, key_id) JOIN accounts a USING (account_id)
     WHERE s.token_hash = ANY($1)`,
    [tokenHashes],
  );
  const row = firstRow(answer);
  return row && sessionFromRow(row);
}

/** Keeps that a session was used, and its key with it. */
export async function updateSessionUse(
  tx: Transaction,
  accountId: string,
  { sessionId, keyId }: { sessionId: string; keyId: string },
  at: Instant,
): Promise<void> {
  await tx.query(
    `WITH used AS (
       UPDATE console_sessions SET last_used_at = greatest(last_used_at, $4) WHERE account_id = $1 AND session_id = $2)
     UPDATE api_keys SET last_used_at = greatest(last_used_at, $4) WHERE account_id = $1 AND key_id = $3`,
    [accountId, sessionId, keyId, isoFromInstant(at)],
  );
}

/** Ends a session; false where it has ended already. */
export async function deleteConsoleSession(tx: Transaction, accountId: string, sessionId: string): Promise<boolean> {
  const sql = 'DELETE FROM console_sessions WHERE account_id = $1 AND session_id = $2';
  return (await tx.query(sql, [accountId, sessionId])).rowCount === 1;
}

function sessionFromRow(row: SessionRow): ConsoleSession {
  return {
    sessionId: row.session_id,
    caller: {
      keyId: row.key_id,
      accountId: row.account_id,
      mode: row.mode,
      scopes: row.scopes,
      rateLimit: row.rate_limit,
      sessionId: row.session_id,
    },
    keyName: row.key_name,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    keyEndsAt: row.key_ends_at,
  };
}
