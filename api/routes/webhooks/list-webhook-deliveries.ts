import { z } from '@hono/zod-openapi';
import { listDeliveries } from '../../../services/webhooks/list-deliveries.ts';
import { DELIVERY_STATUSES, deliveryToWire, deliveryWire, webhookPath } from '../../../wire/webhooks.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery } from '../../pages.ts';

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
  run: async ({ caller: { accountId }, params: { webhook_endpoint_id: webhookEndpointId }, query, listing, read }) => {
    const wanted = { accountId, webhookEndpointId, status: query.status };
    const page = await read((tx) => listDeliveries(tx, wanted, listing.window));
    return listing.answer(page, deliveryToWire);
  },
});
