import { newWebhookSecret } from '../../../outbound/webhook-signature.ts';
import { endpointRowName, updateWebhookSecret } from '../../../sql/postgres/webhooks/webhook-secrets.ts';
import { webhookPath, webhookRollSecret, webhookToWire, webhookWithSecretWire } from '../../../wire/webhooks.ts';
import { operation } from '../../operation.ts';
import { lockEndpoint } from '../../webhook-rules.ts';

export const rollWebhookSecret = operation({
  id: 'rollWebhookSecret',
  method: 'post',
  path: '/api/webhooks/{webhook_endpoint_id}/roll-secret',
  tag: 'Webhooks',
  summary: "Replace an endpoint's secret",
  description:
    'For `overlap_seconds` more, deliveries are signed by the old secret too. Of two that still overlap only the newer one stays.',
  scope: 'admin',
  params: webhookPath,
  body: webhookRollSecret,
  success: 200,
  response: webhookWithSecretWire,
  secret: 'webhook_secret',
  run: ({ caller: { accountId }, params, body, now, write }, { cipher }) =>
    write(async (tx) => {
      const endpoint = await lockEndpoint(tx, accountId, params.webhook_endpoint_id);
      const { webhookEndpointId } = endpoint;
      const secret = newWebhookSecret();
      const sealed = cipher.seal(secret, endpointRowName(accountId, webhookEndpointId));
      const { overlap_seconds: overlap = 0 } = body;
      const overlapUntil = overlap === 0 ? null : now + overlap * 1_000;
      await updateWebhookSecret(tx, accountId, webhookEndpointId, sealed, overlapUntil);
      return { ...webhookToWire(endpoint), webhook_secret: secret };
    }),
});
