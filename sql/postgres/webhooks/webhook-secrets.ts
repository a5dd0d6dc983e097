import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import type { SealedSecret } from '../../../runtime/cipher.ts';
import type { Transaction } from '../postgres.ts';

const ONE = 'account_id = $1 AND webhook_endpoint_id = $2';

/** The name of an endpoint's row, which its secrets are sealed for. */
export function endpointRowName(accountId: string, webhookEndpointId: string): string {
  return `webhook_endpoints/${accountId}/${webhookEndpointId}`;
}

/** Columns of {@link secretsFromRow}, of an endpoint called `w`. */
export const SECRET_COLUMNS = `w.sealed_secret, w.key_id,
  CASE WHEN w.previous_until > now() THEN w.previous_sealed_secret END AS previous_sealed_secret, w.previous_key_id`;

export type SecretsRow = {
  sealed_secret: Buffer;
  key_id: string;
  previous_sealed_secret: Buffer | null;
  previous_key_id: string | null;
};

/** The secrets that sign now, the newest first. */
export function secretsFromRow(row: SecretsRow): SealedSecret[] {
  const current = { keyId: row.key_id, sealed: row.sealed_secret };
  if (row.previous_sealed_secret === null || row.previous_key_id === null) return [current];
  return [current, { keyId: row.previous_key_id, sealed: row.previous_sealed_secret }];
}

/** Puts a new secret in the place of an endpoint's own, which goes on signing until `overlapUntil` (null: no longer). */
export async function updateWebhookSecret(
  tx: Transaction,
  accountId: string,
  id: string,
  secret: SealedSecret,
  overlapUntil: Instant | null,
): Promise<void> {
  const keeps = overlapUntil !== null;
  await tx.query(
    `UPDATE webhook_endpoints
     SET previous_sealed_secret = CASE WHEN $3 THEN sealed_secret END, previous_key_id = CASE WHEN $3 THEN key_id END,
       previous_until = $4, sealed_secret = $5, key_id = $6
     WHERE ${ONE}`,
    [accountId, id, keeps, keeps ? isoFromInstant(overlapUntil) : null, secret.sealed, secret.keyId],
  );
}
