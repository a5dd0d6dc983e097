import { type Instant, isoFromInstant } from '../billing/instants.ts';
import type { Scope } from '../runtime/http/api-key.ts';
import type { KeySource, LiveKey } from '../runtime/key-ring.ts';
import { firstRow, type Pool, type Transaction } from './postgres.ts';

type LiveKeyRow = {
  key_id: string;
  account_id: string;
  mode: 'test' | 'live';
  scopes: Scope[];
  key_hash: string;
  expires_at: Instant | null;
};

const LIVE_KEYS = `
  SELECT k.key_id, k.account_id, a.mode, k.scopes, k.key_hash, k.expires_at
  FROM api_keys k JOIN accounts a USING (account_id)
  WHERE k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())`;

/** The keys that are live now, for {@link import('../runtime/key-ring.ts').startKeyRing}. */
export function apiKeySource(pool: Pool): KeySource {
  return {
    listLiveKeys: async () => (await pool.query<LiveKeyRow>(LIVE_KEYS)).rows.map(liveKeyFromRow),
    findLiveKey: async (keyHash) => {
      const row = firstRow(await pool.query<LiveKeyRow>(`${LIVE_KEYS} AND k.key_hash = $1`, [keyHash]));
      return row && liveKeyFromRow(row);
    },
  };
}

/** Stores a new key by its hash. */
export async function insertApiKey(
  tx: Transaction,
  key: { accountId: string; keyId: string; name: string; prefix: string; keyHash: string; scopes: readonly Scope[] },
  createdAt: Instant,
): Promise<void> {
  await tx.query(
    `INSERT INTO api_keys (account_id, key_id, name, prefix, key_hash, scopes, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [key.accountId, key.keyId, key.name, key.prefix, key.keyHash, key.scopes, isoFromInstant(createdAt)],
  );
}

function liveKeyFromRow(row: LiveKeyRow): LiveKey {
  return {
    keyId: row.key_id,
    accountId: row.account_id,
    mode: row.mode,
    scopes: row.scopes,
    keyHash: row.key_hash,
    expiresAt: row.expires_at,
  };
}
