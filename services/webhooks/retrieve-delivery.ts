import { notFound } from '../../core/domain-error.ts';
import { webhookBody } from '../../outbound/webhook-signature.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import {
  type DeliveryKey,
  findToldEvent,
  findWebhookDelivery,
} from '../../sql/postgres/webhooks/webhook-deliveries.ts';
import { findWebhookEndpoint } from '../../sql/postgres/webhooks/webhook-endpoints.ts';

/** A delivery with its body, as it is sent byte for byte. @throws DomainError `not_found` */
export async function retrieveDelivery(tx: Transaction, key: DeliveryKey) {
  const [endpoint, delivery, event] = await Promise.all([
    findWebhookEndpoint(tx, key.accountId, key.webhookEndpointId),
    findWebhookDelivery(tx, key),
    findToldEvent(tx, key),
  ]);
  if (!endpoint) throw notFound(`webhook endpoint ${key.webhookEndpointId}`);
  if (!delivery || !event) throw notFound(`delivery ${key.deliveryId}`);
  return { delivery, body: webhookBody(event) };
}
