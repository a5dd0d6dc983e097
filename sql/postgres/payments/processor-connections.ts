import { z } from 'zod';
import { type Instant, isoFromInstant, isoOrNull } from '../../../core/instants.ts';
import { atMost } from '../../../runtime/at-most.ts';
import type { SecretCipher } from '../../../runtime/cipher.ts';
import { type Rotation, rotateEach } from '../../../runtime/rotate-secrets.ts';
import { firstRow, inTransaction, type Pool, type Transaction } from '../postgres.ts';
import { withTryLock } from '../try-lock.ts';

/** What an account granted us at a processor; the tokens are stored encrypted. */
export type StoredGrant = {
  externalAccountId: string;
  accessToken: string;
  refreshToken: string | null;
  expiresAt: Instant | null;
};

export type Connection = { provider: string; externalAccountId: string; connectedAt: Instant };

type ConnectionRow = {
  provider: string;
  external_account_id: string;
  sealed_tokens: Buffer;
  key_id: string;
  tokens_expire_at: Instant | null;
  connected_at: Instant;
};

const COLUMNS = 'provider, external_account_id, sealed_tokens, key_id, tokens_expire_at, connected_at';

/** What is encrypted of a grant. */
const storedTokens = z.object({ accessToken: z.string(), refreshToken: z.string().nullable() });
type Tokens = z.infer<typeof storedTokens>;

/** The connections of an account, without their tokens. */
export async function listConnections(tx: Transaction, accountId: string): Promise<Connection[]> {
  const sql = `SELECT ${COLUMNS} FROM processor_connections WHERE account_id = $1 ORDER BY provider`;
  const answer = await tx.query<ConnectionRow>(sql, [accountId]);
  return answer.rows.map((row) => ({
    provider: row.provider,
    externalAccountId: row.external_account_id,
    connectedAt: row.connected_at,
  }));
}

/** Stores a grant in the place of the account's earlier one at that processor. */
export async function upsertConnection(
  tx: Transaction,
  cipher: SecretCipher,
  connection: { accountId: string; provider: string; grant: StoredGrant; connectedAt: Instant },
): Promise<void> {
  const { accountId, provider, grant, connectedAt } = connection;
  const { keyId, sealed } = sealTokens(cipher, accountId, provider, grant);
  await tx.query(
    `INSERT INTO processor_connections
       (account_id, provider, external_account_id, sealed_tokens, key_id, tokens_expire_at, connected_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (account_id, provider) DO UPDATE SET external_account_id = excluded.external_account_id,
       sealed_tokens = excluded.sealed_tokens, key_id = excluded.key_id, tokens_expire_at = excluded.tokens_expire_at,
       connected_at = excluded.connected_at`,
    [
      accountId,
      provider,
      grant.externalAccountId,
      sealed,
      keyId,
      isoOrNull(grant.expiresAt),
      isoFromInstant(connectedAt),
    ],
  );
}

/** Forgets the account's connection; false where it has none. */
export async function deleteConnection(
  tx: Transaction,
  accountId: string,
  { provider, externalAccountId = null }: { provider: string; externalAccountId?: string | null },
): Promise<boolean> {
  const sql = `DELETE FROM processor_connections
    WHERE account_id = $1 AND provider = $2 AND ($3::text IS NULL OR external_account_id = $3)`;
  return (await tx.query(sql, [accountId, provider, externalAccountId])).rowCount === 1;
}

/** Of a process: each holds a connection to Postgres for as long as the processor takes to answer, which may be away. */
const RENEWALS_AT_ONCE = 4;

/** The grants of the records, for the processors' port: `outbound/` may not import this folder. */
export function grantStore(pool: Pool, cipher: SecretCipher) {
  const renewing = atMost(RENEWALS_AT_ONCE);
  return {
    find: (accountId: string, provider: string) =>
      inTransaction(pool, accountId, (tx) => findGrant(tx, cipher, accountId, provider)),
    renew: async (accountId: string, provider: string, renew: (grant: StoredGrant) => Promise<StoredGrant>) => {
      if (renewing.isFull()) return undefined;
      const name = `renew ${connectionRowName(accountId, provider)}`;
      const renewStored = async () => {
        const stored = await inTransaction(pool, accountId, (tx) => findGrant(tx, cipher, accountId, provider));
        if (!stored) return undefined;
        const grant = await renew(stored);
        if (grant === stored) return grant;
        await inTransaction(pool, accountId, (tx) => updateTokens(tx, cipher, { accountId, provider, grant }));
        return grant;
      };
      return renewing(() => withTryLock(pool, name, renewStored));
    },
  };
}

async function findGrant(
  tx: Transaction,
  cipher: SecretCipher,
  accountId: string,
  provider: string,
): Promise<StoredGrant | undefined> {
  const sql = `SELECT ${COLUMNS} FROM processor_connections WHERE account_id = $1 AND provider = $2`;
  const row = firstRow(await tx.query<ConnectionRow>(sql, [accountId, provider]));
  if (!row) return undefined;
  const tokens = openTokens(cipher, accountId, row);
  return { externalAccountId: row.external_account_id, ...tokens, expiresAt: row.tokens_expire_at };
}

async function updateTokens(
  tx: Transaction,
  cipher: SecretCipher,
  { accountId, provider, grant }: { accountId: string; provider: string; grant: StoredGrant },
): Promise<void> {
  const { keyId, sealed } = sealTokens(cipher, accountId, provider, grant);
  await tx.query(
    `UPDATE processor_connections SET sealed_tokens = $4, key_id = $5, tokens_expire_at = $6
     WHERE account_id = $1 AND provider = $2 AND external_account_id = $3`,
    [accountId, provider, grant.externalAccountId, sealed, keyId, isoOrNull(grant.expiresAt)],
  );
}

/** Encrypts anew what stands under another key than the newest. Safe beside everything else. */
export async function rotateConnectionKeys(pool: Pool, cipher: SecretCipher): Promise<Rotation> {
  const stale = await pool.query<{ account_id: string; provider: string }>(
    'SELECT account_id, provider FROM processor_connections WHERE key_id <> $1',
    [cipher.keyId],
  );
  const rows = stale.rows.map(({ account_id: accountId, provider }) => ({
    accountId,
    provider,
    name: connectionRowName(accountId, provider),
  }));
  return rotateEach(rows, ({ accountId, provider }) =>
    inTransaction(pool, accountId, async (tx) => {
      const sql = `SELECT ${COLUMNS} FROM processor_connections WHERE account_id = $1 AND provider = $2 FOR UPDATE`;
      const row = firstRow(await tx.query<ConnectionRow>(sql, [accountId, provider]));
      if (!row) return;
      const grant = {
        ...openTokens(cipher, accountId, row),
        externalAccountId: row.external_account_id,
        expiresAt: row.tokens_expire_at,
      };
      await updateTokens(tx, cipher, { accountId, provider, grant });
    }),
  );
}

/** The name under which the tokens are sealed: those of one row can't be read in another. */
export function connectionRowName(accountId: string, provider: string): string {
  return `processor_connections/${accountId}/${provider}`;
}

function sealTokens(cipher: SecretCipher, accountId: string, provider: string, tokens: Tokens) {
  const { accessToken, refreshToken } = tokens;
  return cipher.seal(JSON.stringify({ accessToken, refreshToken }), connectionRowName(accountId, provider));
}

function openTokens(cipher: SecretCipher, accountId: string, row: ConnectionRow): Tokens {
  const { key_id: keyId, sealed_tokens: sealed } = row;
  return storedTokens.parse(JSON.parse(cipher.open({ keyId, sealed }, connectionRowName(accountId, row.provider))));
}
