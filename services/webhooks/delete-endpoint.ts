import type { Transaction } from '../../sql/postgres/postgres.ts';
import { deleteWebhookEndpoint } from '../../sql/postgres/webhooks/webhook-endpoints.ts';
import { webhookToWire } from '../../wire/webhooks.ts';
import { deleted } from '../audit/audited.ts';
import type { WebhookEndpointRef } from '../references.ts';
import { lockEndpoint } from './lock-endpoint.ts';

/** Deletes an endpoint with its deliveries. @throws DomainError `not_found` */
export async function deleteEndpoint(tx: Transaction, ref: WebhookEndpointRef) {
  const endpoint = await lockEndpoint(tx, ref);
  await deleteWebhookEndpoint(tx, ref.accountId, ref.webhookEndpointId);
  return deleted(webhookToWire(endpoint));
}
