import type { SealedSecret, SecretCipher } from '../../../runtime/cipher.ts';
import { firstRow, inTransaction, type Pool } from '../postgres.ts';
import { type Rotation, rotateEach } from '../../../runtime/rotate-secrets.ts';
import { endpointRowName, SECRET_COLUMNS, type SecretsRow } from '../webhooks/webhook-secrets.ts';

/** Encrypts anew the endpoints' secrets that stand under another key than the newest; a previous one that has run out goes. */
export async function rotateWebhookKeys(pool: Pool, cipher: SecretCipher): Promise<Rotation> {
  const stale = await pool.query<{ account_id: string; webhook_endpoint_id: string }>(
    'SELECT account_id, webhook_endpoint_id FROM webhook_endpoints WHERE key_id <> $1 OR previous_key_id <> $1',
    [cipher.keyId],
  );
  const rows = stale.rows.map(({ account_id: accountId, webhook_endpoint_id: id }) => ({
    accountId,
    id,
    name: endpointRowName(accountId, id),
  }));
  return rotateEach(rows, ({ accountId, id }) => rotate(pool, cipher, accountId, id));
}

function rotate(pool: Pool, cipher: SecretCipher, accountId: string, id: string): Promise<void> {
  const name = endpointRowName(accountId, id);
  const resealed = (secret: SealedSecret) => cipher.seal(cipher.open(secret, name), name);
  return inTransaction(pool, accountId, async (tx) => {
    const one = 'account_id = $1 AND webhook_endpoint_id = $2';
    const sql = `SELECT ${SECRET_COLUMNS} FROM webhook_endpoints w WHERE ${one} FOR UPDATE`;
    const row = firstRow(await tx.query<SecretsRow>(sql, [accountId, id]));
    if (!row) return;
    const { previous_sealed_secret: sealed, previous_key_id: keyId } = row;
    const current = resealed({ sealed: row.sealed_secret, keyId: row.key_id });
    const previous = sealed === null || keyId === null ? null : resealed({ sealed, keyId });
    await tx.query(
      `UPDATE webhook_endpoints SET sealed_secret = $3, key_id = $4, previous_sealed_secret = $5, previous_key_id = $6,
         previous_until = CASE WHEN $5::bytea IS NOT NULL THEN previous_until END WHERE ${one}`,
      [accountId, id, current.sealed, current.keyId, previous?.sealed, previous?.keyId],
    );
  });
}
