import { listWebhookEndpoints } from '../../../sql/postgres/webhooks/webhook-endpoints.ts';
import { webhookToWire, webhookWire } from '../../../wire/webhooks.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery } from '../../pages.ts';

export const listWebhooks = operation({
  id: 'listWebhooks',
  method: 'get',
  path: '/api/webhooks',
  tag: 'Webhooks',
  summary: 'List webhook endpoints, newest first',
  scope: 'admin',
  query: pageQuery,
  success: 200,
  response: listOf(webhookWire),
  run: ({ caller, listing, read }) =>
    read(async (tx) => listing.answer(await listWebhookEndpoints(tx, caller.accountId, listing.window), webhookToWire)),
});
