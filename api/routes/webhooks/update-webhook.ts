import { updateEndpoint } from '../../../services/webhooks/update-endpoint.ts';
import { webhookPath, webhookUpdate, webhookWire } from '../../../wire/webhooks.ts';
import { operation } from '../../operation.ts';
import { privateUrlErrors } from '../../webhook-rules.ts';

export const updateWebhook = operation({
  id: 'updateWebhook',
  method: 'patch',
  path: '/api/webhooks/{webhook_endpoint_id}',
  tag: 'Webhooks',
  summary: 'Change a webhook endpoint, disable it or enable it again',
  description: 'A disabled endpoint is told nothing, and what was pending for it fails; redeliver sends it after all.',
  scope: 'admin',
  audit: 'webhook.updated',
  params: webhookPath,
  body: webhookUpdate,
  fieldErrors: privateUrlErrors,
  success: 200,
  response: webhookWire,
  run: ({ caller: { accountId }, params: { webhook_endpoint_id: webhookEndpointId }, body, write }) =>
    write((tx) => updateEndpoint(tx, { accountId, webhookEndpointId }, body)),
});
