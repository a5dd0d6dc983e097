import { notFound } from '../../../core/domain-error.ts';
import { lockApiKey, updateKeyRevoked } from '../../../sql/postgres/accounts/api-keys.ts';
import { apiKeyPath, apiKeyToWire, apiKeyWire } from '../../../wire/api-keys.ts';
import { operation } from '../../operation.ts';

export const revokeApiKey = operation({
  id: 'revokeApiKey',
  method: 'post',
  path: '/api/api-keys/{key_id}/revoke',
  tag: 'API keys',
  summary: 'Revoke an API key',
  description: 'It stops working within 5 seconds everywhere. A key that is revoked already stays as it is.',
  scope: 'admin',
  params: apiKeyPath,
  success: 200,
  response: apiKeyWire,
  run: ({ caller: { accountId }, params: { key_id }, now, write }) =>
    write(async (tx) => {
      const key = await lockApiKey(tx, accountId, key_id);
      if (!key) throw notFound(`API key ${key_id}`);
      if (key.isRevoked) return apiKeyToWire(key);
      await updateKeyRevoked(tx, accountId, key_id, now);
      return apiKeyToWire({ ...key, expiresAt: Math.min(now, key.expiresAt ?? now) });
    }),
});
