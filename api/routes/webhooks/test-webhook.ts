import { sendTest } from '../../../services/webhooks/send-anew.ts';
import { deliveryWire, webhookPath } from '../../../wire/webhooks.ts';
import { operation } from '../../operation.ts';

export const testWebhook = operation({
  id: 'testWebhook',
  method: 'post',
  path: '/api/webhooks/{webhook_endpoint_id}/test',
  tag: 'Webhooks',
  summary: 'Send an event of type webhook.test to an endpoint',
  description: 'Whatever its triggers. Answers with the delivery; the list of deliveries shows what came of it.',
  scope: 'admin',
  audit: 'webhook_delivery.test_sent',
  params: webhookPath,
  success: 200,
  response: deliveryWire,
  errors: [409],
  run: ({ caller: { accountId }, params: { webhook_endpoint_id: webhookEndpointId }, write }) =>
    write((tx) => sendTest(tx, { accountId, webhookEndpointId })),
});
