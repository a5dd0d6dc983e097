import { newId } from '../../core/ids.ts';
import { newWebhookSecret } from '../../outbound/webhook-signature.ts';
import type { SecretCipher } from '../../runtime/cipher.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { insertWebhookEndpoint } from '../../sql/postgres/webhooks/webhook-endpoints.ts';
import { endpointRowName } from '../../sql/postgres/webhooks/webhook-secrets.ts';
import { type WebhookCreate, webhookToWire } from '../../wire/webhooks.ts';
import { created } from '../audit/audited.ts';

/** Makes an endpoint, and its secret, which is told this once. */
export async function createEndpoint(tx: Transaction, cipher: SecretCipher, accountId: string, wanted: WebhookCreate) {
  const webhookEndpointId = newId('wh');
  const secret = newWebhookSecret();
  const { name, webhook_url: webhookUrl, triggers_in: triggersIn = null } = wanted;
  const sealed = cipher.seal(secret, endpointRowName(accountId, webhookEndpointId));
  const made = { webhookEndpointId, name, webhookUrl, triggersIn };
  const endpoint = await insertWebhookEndpoint(tx, accountId, made, sealed);
  return created({ ...webhookToWire(endpoint), webhook_secret: secret });
}
