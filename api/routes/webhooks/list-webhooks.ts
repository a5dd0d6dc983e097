import { listWebhookEndpoints } from '../../../sql/postgres/webhooks/webhook-endpoints.ts';
import { webhookToWire, webhookWire } from '../../../wire/webhooks.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery, toPage, windowOf } from '../../pages.ts';

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
  run: ({ caller, query, url, read }) =>
    read(async (tx) =>
      toPage(url, query, await listWebhookEndpoints(tx, caller.accountId, windowOf(query)), webhookToWire),
    ),
});
