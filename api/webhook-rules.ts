import type { WebhookDelivery, WebhookEndpoint } from '../billing/webhooks/webhooks.ts';
import { conflict, type FieldMessages, notFound } from '../core/domain-error.ts';
import { hasPrivateHost } from '../outbound/public-address.ts';
import type { Transaction } from '../sql/postgres/postgres.ts';
import { type DeliveryKey, findWebhookDelivery } from '../sql/postgres/webhooks/webhook-deliveries.ts';
import { lockWebhookEndpoint } from '../sql/postgres/webhooks/webhook-endpoints.ts';
import type { Circumstances } from './operation.ts';

/** What is wrong with a URL whose host is a private address; names are checked when they are sent to. */
export function privateUrlErrors(
  { webhook_url: sent }: Record<string, unknown>,
  { webhookAllowPrivate }: Pick<Circumstances, 'webhookAllowPrivate'>,
): FieldMessages {
  const url = typeof sent === 'string' ? URL.parse(sent) : null;
  if (webhookAllowPrivate || !url || !hasPrivateHost(url)) return {};
  return { webhook_url: ['Must not be a private, loopback, link-local, shared or unspecified address.'] };
}

/** The endpoint, kept as it is until the transaction ends. @throws DomainError `not_found` */
export async function lockEndpoint(tx: Transaction, accountId: string, id: string): Promise<WebhookEndpoint> {
  const endpoint = await lockWebhookEndpoint(tx, accountId, id);
  if (!endpoint) throw notFound(`webhook endpoint ${id}`);
  return endpoint;
}

/** As {@link lockEndpoint}, for what needs it enabled. @throws DomainError `conflict` where it is disabled */
export async function lockActiveEndpoint(tx: Transaction, accountId: string, id: string): Promise<WebhookEndpoint> {
  const endpoint = await lockEndpoint(tx, accountId, id);
  if (endpoint.status !== 'active') throw conflict(`The webhook endpoint is ${endpoint.status}.`);
  return endpoint;
}

/** A delivery of an endpoint. @throws DomainError `not_found` */
export async function loadDelivery(tx: Transaction, key: DeliveryKey): Promise<WebhookDelivery> {
  const delivery = await findWebhookDelivery(tx, key);
  if (!delivery) throw notFound(`delivery ${key.deliveryId}`);
  return delivery;
}
