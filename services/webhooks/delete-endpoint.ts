import { notFound } from '../../core/domain-error.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { deleteWebhookEndpoint } from '../../sql/postgres/webhooks/webhook-endpoints.ts';
import type { WebhookEndpointRef } from '../references.ts';

/** Deletes an endpoint with its deliveries. @throws DomainError `not_found` */
export async function deleteEndpoint(tx: Transaction, { accountId, webhookEndpointId }: WebhookEndpointRef) {
  const isDeleted = await deleteWebhookEndpoint(tx, accountId, webhookEndpointId);
  if (!isDeleted) throw notFound(`webhook endpoint ${webhookEndpointId}`);
}
