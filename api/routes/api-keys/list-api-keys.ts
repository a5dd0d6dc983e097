import { listApiKeys as listApiKeyPage } from '../../../sql/postgres/accounts/api-keys.ts';
import { apiKeyToWire, apiKeyWire } from '../../../wire/accounts/api-keys.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery, toPage, windowOf } from '../../pages.ts';

export const listApiKeys = operation({
  id: 'listApiKeys',
  method: 'get',
  path: '/api/api-keys',
  tag: 'API keys',
  summary: 'List API keys, newest first',
  description: 'Revoked and expired ones are listed too; the keys themselves are not told.',
  scope: 'admin',
  query: pageQuery,
  success: 200,
  response: listOf(apiKeyWire),
  run: ({ caller: { accountId }, query, url, read }) =>
    read(async (tx) => toPage(url, query, await listApiKeyPage(tx, accountId, windowOf(query)), apiKeyToWire)),
});
