import { listApiKeys as listApiKeyPage } from '../../../sql/postgres/accounts/api-keys.ts';
import { apiKeyToWire, apiKeyWire } from '../../../wire/accounts/api-keys.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery } from '../../pages.ts';

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
  run: ({ caller: { accountId }, listing, read }) =>
    read(async (tx) => listing.answer(await listApiKeyPage(tx, accountId, listing.window), apiKeyToWire)),
});
