import { disableWebhookEndpoint, updateWebhookEndpoint } from '../../../sql/postgres/webhooks/webhook-endpoints.ts';
import { webhookPath, webhookToWire, webhookUpdate, webhookWire } from '../../../wire/webhooks.ts';
import { operation } from '../../operation.ts';
import { lockEndpoint, privateUrlErrors } from '../../webhook-rules.ts';

export const updateWebhook = operation({
  id: 'updateWebhook',
  method: 'patch',
  path: '/api/webhooks/{webhook_endpoint_id}',
  tag: 'Webhooks',
  summary: 'Change a webhook endpoint, disable it or enable it again',
  description: 'A disabled endpoint is told nothing, and what was pending for it fails; redeliver sends it after all.',
  scope: 'admin',
  params: webhookPath,
  body: webhookUpdate,
  fieldErrors: privateUrlErrors,
  success: 200,
  response: webhookWire,
  run: ({ caller: { accountId }, params, body, write }) =>
    write(async (tx) => {
      const endpoint = await lockEndpoint(tx, accountId, params.webhook_endpoint_id);
      const updated = {
        ...endpoint,
        name: body.name === undefined ? endpoint.name : body.name,
        webhookUrl: body.webhook_url ?? endpoint.webhookUrl,
        triggersIn: body.triggers_in ?? endpoint.triggersIn,
        status: body.status ?? endpoint.status,
      };
      await updateWebhookEndpoint(tx, accountId, updated);
      if (updated.status === 'disabled') await disableWebhookEndpoint(tx, accountId, updated.webhookEndpointId);
      return webhookToWire(updated);
    }),
});
