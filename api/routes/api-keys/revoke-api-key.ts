import { conflict, notFound } from '../../../core/domain-error.ts';
import { lockAccount } from '../../../sql/postgres/accounts/accounts.ts';
import { hasOtherAdminKey, lockApiKey, updateKeyRevoked } from '../../../sql/postgres/accounts/api-keys.ts';
import { apiKeyPath, apiKeyRevoke, apiKeyToWire, apiKeyWire } from '../../../wire/api-keys.ts';
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
  params: apiKeyPath,
  body: apiKeyRevoke,
  success: 200,
  response: apiKeyWire,
  run: ({ caller: { accountId }, params: { key_id }, body, now, write }) =>
    write(async (tx) => {
      // Of two calls that would each leave the other's key, one waits here and sees that it is the last.
      await lockAccount(tx, accountId);
      const key = await lockApiKey(tx, accountId, key_id);
      if (!key) throw notFound(`API key ${key_id}`);
      if (key.isRevoked) return apiKeyToWire(key);
      const isLive = key.expiresAt === null || key.expiresAt > now;
      if (isLive && key.scopes.includes('admin') && !body.force) {
        if (!(await hasOtherAdminKey(tx, accountId, key_id, now))) throw conflict(lastOf(key_id));
      }
      await updateKeyRevoked(tx, accountId, key_id, now);
      return apiKeyToWire({ ...key, expiresAt: Math.min(now, key.expiresAt ?? now) });
    }),
});

function lastOf(keyId: string): string {
  return `API key ${keyId} is the last one with scope admin: nobody could make keys. Make another first, or send force: true.`;
}
