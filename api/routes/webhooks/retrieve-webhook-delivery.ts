import { JsonText } from '../../../runtime/exact-json.ts';
import { retrieveDelivery } from '../../../services/webhooks/retrieve-delivery.ts';
import { deliveryPath, deliveryToWire, deliveryWithBodyWire } from '../../../wire/webhooks.ts';
import { operation } from '../../operation.ts';

export const retrieveWebhookDelivery = operation({
  id: 'retrieveWebhookDelivery',
  method: 'get',
  path: '/api/webhooks/{webhook_endpoint_id}/deliveries/{delivery_id}',
  tag: 'Webhooks',
  summary: 'Retrieve a delivery with its attempts and the body that is sent',
  description: '`body` has every byte that is sent, and signed.',
  scope: 'admin',
  params: deliveryPath,
  success: 200,
  response: deliveryWithBodyWire,
  run: async ({ caller: { accountId }, params, read }) => {
    const { webhook_endpoint_id: webhookEndpointId, delivery_id: deliveryId } = params;
    const { delivery, body } = await read((tx) => retrieveDelivery(tx, { accountId, webhookEndpointId, deliveryId }));
    return { ...deliveryToWire(delivery), body: new JsonText(body) };
  },
});
