import { notFound } from '../../../core/domain-error.ts';
import { deleteWebhookEndpoint } from '../../../sql/postgres/webhooks/webhook-endpoints.ts';
import { webhookPath } from '../../../wire/webhooks.ts';
import { operation } from '../../operation.ts';

export const deleteWebhook = operation({
  id: 'deleteWebhook',
  method: 'delete',
  path: '/api/webhooks/{webhook_endpoint_id}',
  tag: 'Webhooks',
  summary: 'Delete a webhook endpoint with its deliveries',
  scope: 'admin',
  params: webhookPath,
  success: 204,
  run: ({ caller, params, write }) =>
    write(async (tx) => {
      if (await deleteWebhookEndpoint(tx, caller.accountId, params.webhook_endpoint_id)) return;
      throw notFound(`webhook endpoint ${params.webhook_endpoint_id}`);
    }),
});
