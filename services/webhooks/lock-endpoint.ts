import type { WebhookEndpoint } from '../../billing/webhooks/webhooks.ts';
import { conflict, notFound } from '../../core/domain-error.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { lockWebhookEndpoint } from '../../sql/postgres/webhooks/webhook-endpoints.ts';
import type { WebhookEndpointRef } from '../references.ts';

/** The endpoint, kept as it is until the transaction ends. @throws DomainError `not_found` */
export async function lockEndpoint(
  tx: Transaction,
  { accountId, webhookEndpointId }: WebhookEndpointRef,
): Promise<WebhookEndpoint> {
  const endpoint = await lockWebhookEndpoint(tx, accountId, webhookEndpointId);
  if (!endpoint) throw notFound(`webhook endpoint ${webhookEndpointId}`);
  return endpoint;
}

/** As {@link lockEndpoint}, for what needs it enabled. @throws DomainError `conflict` where it is disabled */
export async function lockActiveEndpoint(tx: Transaction, ref: WebhookEndpointRef): Promise<WebhookEndpoint> {
  const endpoint = await lockEndpoint(tx, ref);
  if (endpoint.status !== 'active') throw conflict(`The webhook endpoint is ${endpoint.status}.`);
  return endpoint;
}
