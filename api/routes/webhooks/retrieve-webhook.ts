import { notFound } from '../../../core/domain-error.ts';
import { findWebhookEndpoint } from '../../../sql/postgres/webhooks/webhook-endpoints.ts';
import { webhookPath, webhookToWire, webhookWire } from '../../../wire/webhooks.ts';
import { operation } from '../../operation.ts';

export const retrieveWebhook = operation({
  id: 'retrieveWebhook',
  method: 'get',
  path: '/api/webhooks/{webhook_endpoint_id}',
  tag: 'Webhooks',
  summary: 'Retrieve a webhook endpoint',
  scope: 'admin',
  params: webhookPath,
  success: 200,
  response: webhookWire,
  run: ({ caller, params, read }) =>
    read(async (tx) => {
      const endpoint = await findWebhookEndpoint(tx, caller.accountId, params.webhook_endpoint_id);
      if (!endpoint) throw notFound(`webhook endpoint ${params.webhook_endpoint_id}`);
      return webhookToWire(endpoint);
    }),
});
