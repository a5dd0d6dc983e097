import { rollSecret } from '../../../services/webhooks/roll-secret.ts';
import { webhookPath, webhookRollSecret, webhookWithSecretWire } from '../../../wire/webhooks.ts';
import { operation } from '../../operation.ts';

export const rollWebhookSecret = operation({
  id: 'rollWebhookSecret',
  method: 'post',
  path: '/api/webhooks/{webhook_endpoint_id}/roll-secret',
  tag: 'Webhooks',
  summary: "Replace an endpoint's secret",
  description:
    'For `overlap_seconds` more, deliveries are signed by the old secret too. So they are by secrets that were replaced ' +
    'before, each until its own end. At most 5 secrets sign at once; a roll that would leave more is 409 with the code ' +
    '`too_many_webhook_secrets`.',
  scope: 'admin',
  audit: 'webhook.secret_rolled',
  params: webhookPath,
  body: webhookRollSecret,
  success: 200,
  errors: [409],
  response: webhookWithSecretWire,
  secret: 'webhook_secret',
  run: (
    { caller: { accountId }, params: { webhook_endpoint_id: webhookEndpointId }, body, now, write },
    dependencies,
  ) => write((tx) => rollSecret(tx, dependencies, { accountId, webhookEndpointId }, body, now)),
});
