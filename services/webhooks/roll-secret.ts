import type { Instant } from '../../core/instants.ts';
import { newWebhookSecret } from '../../outbound/webhook-signature.ts';
import type { SecretCipher } from '../../runtime/cipher.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { endpointRowName, updateWebhookSecret } from '../../sql/postgres/webhooks/webhook-secrets.ts';
import { type WebhookRollSecret, webhookToWire } from '../../wire/webhooks.ts';
import { changed } from '../audit/audited.ts';
import type { WebhookEndpointRef } from '../references.ts';
import { lockEndpoint } from './lock-endpoint.ts';

/** Replaces an endpoint's secret; the old one signs too for the overlap more. @throws DomainError `not_found` */
export async function rollSecret(
  tx: Transaction,
  cipher: SecretCipher,
  ref: WebhookEndpointRef,
  { overlap_seconds: overlap = 0 }: WebhookRollSecret,
  now: Instant,
) {
  const endpoint = await lockEndpoint(tx, ref);
  const { accountId, webhookEndpointId } = ref;
  const secret = newWebhookSecret();
  const sealed = cipher.seal(secret, endpointRowName(accountId, webhookEndpointId));
  const overlapUntil = overlap === 0 ? null : now + overlap * 1_000;
  await updateWebhookSecret(tx, accountId, webhookEndpointId, sealed, overlapUntil);
  const shown = webhookToWire(endpoint);
  return changed(shown, { ...shown, webhook_secret: secret });
}
