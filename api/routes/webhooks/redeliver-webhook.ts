import { redeliver } from '../../../services/webhooks/send-anew.ts';
import { deliveryPath, deliveryWire } from '../../../wire/webhooks.ts';
import { operation } from '../../operation.ts';

export const redeliverWebhook = operation({
  id: 'redeliverWebhook',
  method: 'post',
  path: '/api/webhooks/{webhook_endpoint_id}/deliveries/{delivery_id}/redeliver',
  tag: 'Webhooks',
  summary: 'Send a delivery again now',
  description: 'The same event, with the same `webhook-id`; where it fails, the schedule of retries begins anew.',
  scope: 'admin',
  audit: 'webhook_delivery.redelivered',
  params: deliveryPath,
  success: 200,
  response: deliveryWire,
  errors: [409],
  run: ({ caller: { accountId }, params, write }) => {
    const { webhook_endpoint_id: webhookEndpointId, delivery_id: deliveryId } = params;
    return write((tx) => redeliver(tx, { accountId, webhookEndpointId, deliveryId }));
  },
});
