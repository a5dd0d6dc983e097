import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import type { SealedSecret } from '../../../runtime/cipher.ts';
import { stringifyExactJson } from '../../../runtime/exact-json.ts';
import { firstRow, type Transaction } from '../postgres.ts';

const ONE = 'account_id = $1 AND webhook_endpoint_id = $2';

/** The name of an endpoint's row, which its secrets are sealed for. */
export function endpointRowName(accountId: string, webhookEndpointId: string): string {
  return `webhook_endpoints/${accountId}/${webhookEndpointId}`;
}

/** A replaced secret that signs until `until`. */
export type OverlappingSecret = SealedSecret & { until: Instant };
/** All secrets of an endpoint: its own, and replaced ones, of which the newest comes first. */
export type EndpointSecrets = { current: SealedSecret; replaced: OverlappingSecret[] };

/** Columns of {@link secretsFromRow}, of an endpoint called `w`. */
export const SECRET_COLUMNS = `w.sealed_secret, w.key_id, w.previous_sealed_secret, w.previous_key_id, w.previous_until,
  w.older_secrets::text AS older_secrets, now() AS read_at`;

export type SecretsRow = {
  sealed_secret: Buffer;
  key_id: string;
  previous_sealed_secret: Buffer | null;
  previous_key_id: string | null;
  previous_until: Instant | null;
  older_secrets: string;
  read_at: Instant;
};

/** The secrets that sign now. */
export function secretsFromRow(row: SecretsRow): EndpointSecrets {
  const { previous_sealed_secret: sealed, previous_key_id: keyId, previous_until: until } = row;
  const previous = sealed !== null && keyId !== null && until !== null ? [{ sealed, keyId, until }] : [];
  const replaced = [...previous, ...olderSecrets(row.older_secrets)].filter((one) => one.until > row.read_at);
  return { current: { keyId: row.key_id, sealed: row.sealed_secret }, replaced };
}

type OlderSecret = { sealed: string; key_id: string; until: string };

/** The secrets of a column `older_secrets`. */
export function olderSecrets(text: string): OverlappingSecret[] {
  return (JSON.parse(text) as OlderSecret[]).map(({ sealed, key_id: keyId, until }) => ({
    sealed: Buffer.from(sealed, 'hex'),
    keyId,
    until: Date.parse(until),
  }));
}

/** Loads the secrets of an endpoint that sign now; nobody else changes them until the transaction ends. */
export async function lockWebhookSecrets(
  tx: Transaction,
  accountId: string,
  id: string,
): Promise<EndpointSecrets | undefined> {
  const sql = `SELECT ${SECRET_COLUMNS} FROM webhook_endpoints w WHERE ${ONE} FOR UPDATE`;
  const row = firstRow(await tx.query<SecretsRow>(sql, [accountId, id]));
  return row && secretsFromRow(row);
}

/** Stores all secrets of an endpoint. The newest of the replaced ones stands where the release before reads it. */
export async function updateWebhookSecrets(
  tx: Transaction,
  accountId: string,
  id: string,
  { current, replaced: [previous, ...older] }: EndpointSecrets,
): Promise<void> {
  const olderText = stringifyExactJson(
    older.map(({ sealed, keyId, until }) => ({
      sealed: sealed.toString('hex'),
      key_id: keyId,
      until: isoFromInstant(until),
    })),
  );
  await tx.query(
    `UPDATE webhook_endpoints
     SET sealed_secret = $3, key_id = $4, previous_sealed_secret = $5, previous_key_id = $6, previous_until = $7,
       older_secrets = $8
     WHERE ${ONE}`,
    [
      ...[accountId, id, current.sealed, current.keyId],
      ...[previous?.sealed, previous?.keyId, previous && isoFromInstant(previous.until), olderText],
    ],
  );
}
