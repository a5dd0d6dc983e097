import { notFound } from '../../core/domain-error.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import {
  type DeliveryKey,
  findWebhookDelivery,
  insertTestDelivery,
  updateDeliveryQueued,
} from '../../sql/postgres/webhooks/webhook-deliveries.ts';
import { deliveryToWire } from '../../wire/webhooks.ts';
import { changed, created } from '../audit/audited.ts';
import type { WebhookEndpointRef } from '../references.ts';
import { lockActiveEndpoint } from './lock-endpoint.ts';

/** Has an event of type webhook.test sent to an endpoint. @throws DomainError `not_found`; `conflict` where it is disabled */
export async function sendTest(tx: Transaction, ref: WebhookEndpointRef) {
  await lockActiveEndpoint(tx, ref);
  const deliveryId = await insertTestDelivery(tx, ref.accountId, ref.webhookEndpointId);
  return created(await deliveryOf(tx, { ...ref, deliveryId }));
}

/** Has a delivery sent again now. @throws DomainError `not_found`; `conflict` where its endpoint is disabled */
export async function redeliver(tx: Transaction, key: DeliveryKey) {
  await lockActiveEndpoint(tx, key);
  const before = await deliveryOf(tx, key);
  await updateDeliveryQueued(tx, key);
  return changed(before, await deliveryOf(tx, key));
}

async function deliveryOf(tx: Transaction, key: DeliveryKey) {
  const delivery = await findWebhookDelivery(tx, key);
  if (!delivery) throw notFound(`delivery ${key.deliveryId}`);
  return deliveryToWire(delivery);
}
