import { revokeApiKey as revoke } from '../../../services/accounts/revoke-api-key.ts';
import { apiKeyPath, apiKeyRevoke, apiKeyWire } from '../../../wire/accounts/api-keys.ts';
import { operation } from '../../operation.ts';

export const revokeApiKey = operation({
  id: 'revokeApiKey',
  method: 'post',
  path: '/api/api-keys/{key_id}/revoke',
  tag: 'API keys',
  summary: 'Revoke an API key',
  description:
    'It stops working within 5 seconds everywhere. A key that is revoked already stays as it is. The last ' +
    'one with scope admin is revoked only with force: without it only the operator can make keys.',
  scope: 'admin',
  audit: 'api_key.revoked',
  params: apiKeyPath,
  body: apiKeyRevoke,
  success: 200,
  response: apiKeyWire,
  run: ({ caller: { accountId }, params: { key_id: keyId }, body, now, write }) =>
    write((tx) => revoke(tx, { accountId, keyId }, body, now)),
});
