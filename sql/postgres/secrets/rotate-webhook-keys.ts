import type { SealedSecret, SecretCipher } from '../../../runtime/cipher.ts';
import { inTransaction, type Pool } from '../postgres.ts';
import { type Rotation, rotateEach } from '../../../runtime/rotate-secrets.ts';
import { endpointRowName, lockWebhookSecrets, updateWebhookSecrets } from '../webhooks/webhook-secrets.ts';

/** Encrypts anew the endpoints' secrets that stand under another key than the newest; one that has run out goes. */
export async function rotateWebhookKeys(pool: Pool, cipher: SecretCipher): Promise<Rotation> {
  const stale = await pool.query<{ account_id: string; webhook_endpoint_id: string }>(
    `SELECT account_id, webhook_endpoint_id FROM webhook_endpoints
     WHERE key_id <> $1 OR previous_key_id <> $1
       OR EXISTS (SELECT FROM jsonb_array_elements(older_secrets) o WHERE o->>'key_id' <> $1)`,
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
    const secrets = await lockWebhookSecrets(tx, accountId, id);
    if (!secrets) return;
    const replaced = secrets.replaced.map((secret) => ({ ...resealed(secret), until: secret.until }));
    await updateWebhookSecrets(tx, accountId, id, { current: resealed(secrets.current), replaced });
  });
}
