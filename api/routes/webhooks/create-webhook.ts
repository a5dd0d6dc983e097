import { newId } from '../../../core/ids.ts';
import { newWebhookSecret } from '../../../outbound/webhook-signature.ts';
import { insertWebhookEndpoint } from '../../../sql/postgres/webhooks/webhook-endpoints.ts';
import { endpointRowName } from '../../../sql/postgres/webhooks/webhook-secrets.ts';
import { webhookCreate, webhookToWire, webhookWithSecretWire } from '../../../wire/webhooks.ts';
import { operation } from '../../operation.ts';
import { privateUrlErrors } from '../../webhook-rules.ts';

export const createWebhook = operation({
  id: 'createWebhook',
  method: 'post',
  path: '/api/webhooks',
  tag: 'Webhooks',
  summary: 'Have events sent to a URL',
  description:
    'Deliveries follow Standard Webhooks: verify `webhook-signature` with `webhook_secret`, which is shown this once. ' +
    'An event may arrive more than once, always with the same `webhook-id`.',
  scope: 'admin',
  body: webhookCreate,
  fieldErrors: privateUrlErrors,
  success: 201,
  response: webhookWithSecretWire,
  secret: 'webhook_secret',
  run: ({ caller: { accountId }, body, write }, { cipher }) =>
    write(async (tx) => {
      const webhookEndpointId = newId('wh');
      const secret = newWebhookSecret();
      const { name, webhook_url: webhookUrl, triggers_in: triggersIn = null } = body;
      const sealed = cipher.seal(secret, endpointRowName(accountId, webhookEndpointId));
      const made = { webhookEndpointId, name, webhookUrl, triggersIn };
      const endpoint = await insertWebhookEndpoint(tx, accountId, made, sealed);
      return { ...webhookToWire(endpoint), webhook_secret: secret };
    }),
});
