import type { QueryConfig } from 'pg';
import { type Instant, isoFromInstant, isoOrNull } from '../../../core/instants.ts';
import type { Scope } from '../../../core/scopes.ts';
import type { KeySource, KeyUse, LiveKey } from '../../../runtime/key-ring.ts';
import { findPage, type PageOf, type PageWindow } from '../page-window.ts';
import { firstRow, type Pool, type Transaction } from '../postgres.ts';

/** A key as its account sees it: never the key itself, of which only the hash is kept (spec/accounts#keys). */
export type ApiKey = {
  keyId: string;
  name: string;
  prefix: string;
  scopes: Scope[];
  createdAt: Instant;
  /** From then on it is of no use: its expiry, or when it was revoked. Null: never. */
  expiresAt: Instant | null;
  /** The expiry that it was made with, whatever rotations have made of it. Null: none. */
  madeToExpireAt: Instant | null;
  isRevoked: boolean;
  lastUsedAt: Instant | null;
};

type ApiKeyRow = {
  key_id: string;
  name: string;
  prefix: string;
  scopes: Scope[];
  created_at: Instant;
  ends_at: Instant | null;
  made_to_expire_at: Instant | null;
  revoked_at: Instant | null;
  last_used_at: Instant | null;
};

type LiveKeyRow = {
  key_id: string;
  account_id: string;
  mode: 'test' | 'live';
  rate_limit: number | null;
  scopes: Scope[];
  key_hash: string;
  expires_at: Instant | null;
};

/** A connection whose server says nothing for this long is given up: keys must not stay as they were behind a dead one. */
const KEY_QUERY_LIMIT_MS = 5_000;

const LIVE_KEYS = `
  SELECT k.key_id, k.account_id, a.mode, a.rate_limit, k.scopes, k.key_hash, k.expires_at
  FROM api_keys k JOIN accounts a USING (account_id)
  WHERE k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())`;

// least() passes over nulls.
const COLUMNS = `key_id, name, prefix, scopes, created_at, least(expires_at, revoked_at) AS ends_at, revoked_at, last_used_at,
  CASE WHEN rotated_at IS NULL THEN expires_at ELSE expires_unrotated END AS made_to_expire_at`;

/** The keys of all accounts that are live now, for {@link import('../../../runtime/key-ring.ts').startKeyRing}. */
export function apiKeySource(pool: Pool): KeySource {
  return {
    listLiveKeys: () => loadLiveKeys(pool, LIVE_KEYS),
    findLiveKeys: (keyHashes) => loadLiveKeys(pool, `${LIVE_KEYS} AND k.key_hash = ANY($1)`, [keyHashes]),
    updateLastUsed: (uses) => updateLastUsed(pool, uses),
  };
}

async function loadLiveKeys(pool: Pool, text: string, values: unknown[] = []): Promise<LiveKey[]> {
  const query: QueryConfig & { query_timeout: number } = { text, values, query_timeout: KEY_QUERY_LIMIT_MS };
  return (await pool.query<LiveKeyRow>(query)).rows.map(liveKeyFromRow);
}

/** Whether a key of this hash, of any account, was live once and is no more. */
export async function isDeadKey(pool: Pool, keyHash: string): Promise<boolean> {
  const sql = 'SELECT 1 FROM api_keys WHERE key_hash = $1 AND (revoked_at IS NOT NULL OR expires_at <= now())';
  return firstRow(await pool.query(sql, [keyHash])) !== undefined;
}

/** Several processes may say that they have seen the same keys: each takes the rows in the same order. */
async function updateLastUsed(pool: Pool, uses: KeyUse[]): Promise<void> {
  await pool.query(
    `WITH used AS (
       SELECT k.key_hash, u.at FROM api_keys k
       JOIN unnest($1::text[], $2::timestamptz[]) AS u (key_hash, at) USING (key_hash)
       ORDER BY k.key_hash FOR NO KEY UPDATE OF k)
     UPDATE api_keys k SET last_used_at = greatest(k.last_used_at, used.at) FROM used WHERE k.key_hash = used.key_hash`,
    [uses.map(({ keyHash }) => keyHash), uses.map(({ at }) => isoFromInstant(at))],
  );
}

/** Stores a new key by its hash. */
export async function insertApiKey(
  tx: Transaction,
  accountId: string,
  key: {
    keyId: string;
    name: string;
    prefix: string;
    keyHash: string;
    scopes: readonly Scope[];
    expiresAt?: Instant | null;
  },
  createdAt: Instant,
): Promise<void> {
  const expiresAt = key.expiresAt ?? null;
  await tx.query(
    `INSERT INTO api_keys (account_id, key_id, name, prefix, key_hash, scopes, created_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      accountId,
      key.keyId,
      key.name,
      key.prefix,
      key.keyHash,
      key.scopes,
      isoFromInstant(createdAt),
      isoOrNull(expiresAt),
    ],
  );
}

/** One page of an account's keys, newest first, those that are of no use any more among them. */
export function listApiKeys(tx: Transaction, accountId: string, window: PageWindow): Promise<PageOf<ApiKey>> {
  const equals = { account_id: accountId };
  return findPage(tx, { select: COLUMNS, table: ['api_keys', 'k'], equals }, window, apiKeyFromRow);
}

/** The key, which nobody else changes until the transaction ends; undefined where it does not exist. */
export async function lockApiKey(tx: Transaction, accountId: string, keyId: string): Promise<ApiKey | undefined> {
  const sql = `SELECT ${COLUMNS} FROM api_keys WHERE account_id = $1 AND key_id = $2 FOR NO KEY UPDATE`;
  const row = firstRow(await tx.query<ApiKeyRow>(sql, [accountId, keyId]));
  return row && apiKeyFromRow(row);
}

/** Whether the account has a key with scope `admin`, besides this one, that is of use at that instant. */
export async function hasOtherAdminKey(
  tx: Transaction,
  accountId: string,
  keyId: string,
  at: Instant,
): Promise<boolean> {
  const sql = `SELECT 1 FROM api_keys WHERE account_id = $1 AND key_id <> $2 AND 'admin' = ANY(scopes)
    AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $3) LIMIT 1`;
  return firstRow(await tx.query(sql, [accountId, keyId, isoFromInstant(at)])) !== undefined;
}

/** Lets a rotated key expire at the end of its overlap, if it does not expire before. */
export async function updateKeyRotated(
  tx: Transaction,
  accountId: string,
  keyId: string,
  { at, overlapEnds }: { at: Instant; overlapEnds: Instant },
): Promise<void> {
  const sql = `UPDATE api_keys SET rotated_at = $4, expires_at = least(expires_at, $3),
      expires_unrotated = CASE WHEN rotated_at IS NULL THEN expires_at ELSE expires_unrotated END
    WHERE account_id = $1 AND key_id = $2`;
  await tx.query(sql, [accountId, keyId, isoFromInstant(overlapEnds), isoFromInstant(at)]);
}

/** Revokes a key at that instant. */
export async function updateKeyRevoked(tx: Transaction, accountId: string, keyId: string, at: Instant): Promise<void> {
  const sql = 'UPDATE api_keys SET revoked_at = $3 WHERE account_id = $1 AND key_id = $2';
  await tx.query(sql, [accountId, keyId, isoFromInstant(at)]);
}

function apiKeyFromRow(row: ApiKeyRow): ApiKey {
  return {
    keyId: row.key_id,
    name: row.name,
    prefix: row.prefix,
    scopes: row.scopes,
    createdAt: row.created_at,
    expiresAt: row.ends_at,
    madeToExpireAt: row.made_to_expire_at,
    isRevoked: row.revoked_at !== null,
    lastUsedAt: row.last_used_at,
  };
}

function liveKeyFromRow(row: LiveKeyRow): LiveKey {
  return {
    keyId: row.key_id,
    accountId: row.account_id,
    mode: row.mode,
    rateLimit: row.rate_limit,
    scopes: row.scopes,
    keyHash: row.key_hash,
    expiresAt: row.expires_at,
  };
}
