import { updateDeliveryQueued } from '../../../sql/postgres/webhooks/webhook-deliveries.ts';
import { deliveryPath, deliveryToWire, deliveryWire } from '../../../wire/webhooks.ts';
import { operation } from '../../operation.ts';
import { loadDelivery, lockActiveEndpoint } from '../../webhook-rules.ts';

export const redeliverWebhook = operation({
  id: 'redeliverWebhook',
  method: 'post',
  path: '/api/webhooks/{webhook_endpoint_id}/deliveries/{delivery_id}/redeliver',
  tag: 'Webhooks',
  summary: 'Send a delivery again now',
  description: 'The same event, with the same `webhook-id`; where it fails, the schedule of retries begins anew.',
  scope: 'admin',
  params: deliveryPath,
  success: 200,
  response: deliveryWire,
  errors: [409],
  run: ({ caller: { accountId }, params, write }) =>
    write(async (tx) => {
      const { webhookEndpointId } = await lockActiveEndpoint(tx, accountId, params.webhook_endpoint_id);
      const key = { accountId, webhookEndpointId, deliveryId: params.delivery_id };
      await updateDeliveryQueued(tx, key);
      return deliveryToWire(await loadDelivery(tx, key));
    }),
});
