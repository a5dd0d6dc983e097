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
    'For `overlap_seconds` more, deliveries are signed by the old secret too. Of two that still overlap only the newer one stays.',
  scope: 'admin',
  audit: 'webhook.secret_rolled',
  params: webhookPath,
  body: webhookRollSecret,
  success: 200,
  response: webhookWithSecretWire,
  secret: 'webhook_secret',
  run: ({ caller: { accountId }, params: { webhook_endpoint_id: webhookEndpointId }, body, now, write }, { cipher }) =>
    write((tx) => rollSecret(tx, cipher, { accountId, webhookEndpointId }, body, now)),
});
