import { createEndpoint } from '../../../services/webhooks/create-endpoint.ts';
import { webhookCreate, webhookWithSecretWire } from '../../../wire/webhooks.ts';
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
    'An event may arrive more than once, always with the same `webhook-id`. An account has at most 32 endpoints; ' +
    'one more is 409 with the code `too_many_webhook_endpoints`.',
  scope: 'admin',
  audit: 'webhook.created',
  body: webhookCreate,
  fieldErrors: privateUrlErrors,
  success: 201,
  errors: [409],
  response: webhookWithSecretWire,
  secret: 'webhook_secret',
  run: ({ caller, body, write }, dependencies) =>
    write((tx) => createEndpoint(tx, dependencies, caller.accountId, body)),
});
