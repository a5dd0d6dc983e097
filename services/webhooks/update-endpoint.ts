import type { Transaction } from '../../sql/postgres/postgres.ts';
import { disableWebhookEndpoint, updateWebhookEndpoint } from '../../sql/postgres/webhooks/webhook-endpoints.ts';
import { type WebhookUpdate, webhookToWire } from '../../wire/webhooks.ts';
import { changed } from '../audit/audited.ts';
import type { WebhookEndpointRef } from '../references.ts';
import { lockEndpoint } from './lock-endpoint.ts';

/** Changes an endpoint; what waits for one that is disabled fails. @throws DomainError `not_found` */
export async function updateEndpoint(tx: Transaction, ref: WebhookEndpointRef, changes: WebhookUpdate) {
  const endpoint = await lockEndpoint(tx, ref);
  const updated = {
    ...endpoint,
    name: changes.name === undefined ? endpoint.name : changes.name,
    webhookUrl: changes.webhook_url ?? endpoint.webhookUrl,
    triggersIn: changes.triggers_in ?? endpoint.triggersIn,
    status: changes.status ?? endpoint.status,
  };
  const { accountId, webhookEndpointId } = ref;
  await updateWebhookEndpoint(tx, accountId, updated);
  if (updated.status === 'disabled') await disableWebhookEndpoint(tx, accountId, webhookEndpointId);
  return changed(webhookToWire(endpoint), webhookToWire(updated));
}
