import { notFound } from '../../core/domain-error.ts';
import type { PageWindow } from '../../sql/postgres/page-window.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { listWebhookDeliveries } from '../../sql/postgres/webhooks/webhook-deliveries.ts';
import { findWebhookEndpoint } from '../../sql/postgres/webhooks/webhook-endpoints.ts';

/** One page of an endpoint's deliveries, newest first. @throws DomainError `not_found` for an endpoint that does not exist */
export async function listDeliveries(
  tx: Transaction,
  wanted: Parameters<typeof listWebhookDeliveries>[1],
  window: PageWindow,
) {
  const { accountId, webhookEndpointId } = wanted;
  const endpoint = await findWebhookEndpoint(tx, accountId, webhookEndpointId);
  if (!endpoint) throw notFound(`webhook endpoint ${webhookEndpointId}`);
  return listWebhookDeliveries(tx, wanted, window);
}
