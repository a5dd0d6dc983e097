import { z } from '@hono/zod-openapi';
import { notFound } from '../../../core/domain-error.ts';
import { listWebhookDeliveries as listDeliveryPage } from '../../../sql/postgres/webhooks/webhook-deliveries.ts';
import { findWebhookEndpoint } from '../../../sql/postgres/webhooks/webhook-endpoints.ts';
import { DELIVERY_STATUSES, deliveryToWire, deliveryWire, webhookPath } from '../../../wire/webhooks.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery, toPage, windowOf } from '../../pages.ts';

export const listWebhookDeliveries = operation({
  id: 'listWebhookDeliveries',
  method: 'get',
  path: '/api/webhooks/{webhook_endpoint_id}/deliveries',
  tag: 'Webhooks',
  summary: "List an endpoint's deliveries, newest first",
  description: 'One per event, with every attempt.',
  scope: 'admin',
  params: webhookPath,
  query: pageQuery.extend({
    status: z
      .enum(DELIVERY_STATUSES)
      .optional()
      .openapi({ description: 'Only deliveries in this state.', example: 'failed' }),
  }),
  success: 200,
  response: listOf(deliveryWire),
  run: ({ caller: { accountId }, params, query, url, read }) =>
    read(async (tx) => {
      const { webhook_endpoint_id: webhookEndpointId } = params;
      const endpoint = await findWebhookEndpoint(tx, accountId, webhookEndpointId);
      if (!endpoint) throw notFound(`webhook endpoint ${webhookEndpointId}`);
      const page = await listDeliveryPage(tx, { accountId, webhookEndpointId, status: query.status }, windowOf(query));
      return toPage(url, query, page, deliveryToWire);
    }),
});
