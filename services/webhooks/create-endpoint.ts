import { conflict } from '../../core/domain-error.ts';
import { newId } from '../../core/ids.ts';
import { newWebhookSecret } from '../../outbound/webhook-signature.ts';
import type { SecretCipher } from '../../runtime/cipher.ts';
import { lockAccount } from '../../sql/postgres/accounts/accounts.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { countWebhookEndpoints, insertWebhookEndpoint } from '../../sql/postgres/webhooks/webhook-endpoints.ts';
import { endpointRowName } from '../../sql/postgres/webhooks/webhook-secrets.ts';
import { type WebhookCreate, webhookToWire } from '../../wire/webhooks.ts';
import { created } from '../audit/audited.ts';

type Dependencies = { cipher: SecretCipher; webhookLimits: { endpoints: number } };

/**
 * Makes an endpoint, and its secret, which is told this once.
 * @throws DomainError `conflict` (`too_many_webhook_endpoints`) if the account has as many as it may have
 */
export async function createEndpoint(
  tx: Transaction,
  { cipher, webhookLimits: { endpoints: most } }: Dependencies,
  accountId: string,
  wanted: WebhookCreate,
) {
  // The lock keeps two concurrent calls from both taking the last place.
  await lockAccount(tx, accountId);
  if ((await countWebhookEndpoints(tx, accountId)) >= most) {
    throw conflict(
      `The account has ${most} webhook endpoints, which is the limit. Delete one that it does not need.`,
      'too_many_webhook_endpoints',
    );
  }
  const webhookEndpointId = newId('wh');
  const secret = newWebhookSecret();
  const { name, webhook_url: webhookUrl, triggers_in: triggersIn = null } = wanted;
  const sealed = cipher.seal(secret, endpointRowName(accountId, webhookEndpointId));
  const made = { webhookEndpointId, name, webhookUrl, triggersIn };
  const endpoint = await insertWebhookEndpoint(tx, accountId, made, sealed);
  return created({ ...webhookToWire(endpoint), webhook_secret: secret });
}
