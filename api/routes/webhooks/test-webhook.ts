import { insertTestDelivery } from '../../../sql/postgres/webhooks/webhook-deliveries.ts';
import { deliveryToWire, deliveryWire, webhookPath } from '../../../wire/webhooks.ts';
import { operation } from '../../operation.ts';
import { loadDelivery, lockActiveEndpoint } from '../../webhook-rules.ts';

export const testWebhook = operation({
  id: 'testWebhook',
  method: 'post',
  path: '/api/webhooks/{webhook_endpoint_id}/test',
  tag: 'Webhooks',
  summary: 'Send an event of type webhook.test to an endpoint',
  description: 'Whatever its triggers. Answers with the delivery; the list of deliveries shows what came of it.',
  scope: 'admin',
  params: webhookPath,
  success: 200,
  response: deliveryWire,
  errors: [409],
  run: ({ caller: { accountId }, params, write }) =>
    write(async (tx) => {
      const { webhookEndpointId } = await lockActiveEndpoint(tx, accountId, params.webhook_endpoint_id);
      const deliveryId = await insertTestDelivery(tx, accountId, webhookEndpointId);
      return deliveryToWire(await loadDelivery(tx, { accountId, webhookEndpointId, deliveryId }));
    }),
});
