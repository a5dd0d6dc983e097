import { deleteEndpoint } from '../../../services/webhooks/delete-endpoint.ts';
import { webhookPath } from '../../../wire/webhooks.ts';
import { operation } from '../../operation.ts';

export const deleteWebhook = operation({
  id: 'deleteWebhook',
  method: 'delete',
  path: '/api/webhooks/{webhook_endpoint_id}',
  tag: 'Webhooks',
  summary: 'Delete a webhook endpoint with its deliveries',
  scope: 'admin',
  audit: 'webhook.deleted',
  params: webhookPath,
  success: 204,
  run: ({ caller: { accountId }, params: { webhook_endpoint_id: webhookEndpointId }, write }) =>
    write((tx) => deleteEndpoint(tx, { accountId, webhookEndpointId })),
});
