import { conflict, notFound } from '../../../core/domain-error.ts';
import type { Instant } from '../../../core/instants.ts';
import { type ApiKey, lockApiKey, updateKeyExpiry } from '../../../sql/postgres/accounts/api-keys.ts';
import { apiKeyPath, apiKeyRotate, newApiKeyWire } from '../../../wire/api-keys.ts';
import { makeApiKey } from '../../new-api-key.ts';
import { operation } from '../../operation.ts';

export const rotateApiKey = operation({
  id: 'rotateApiKey',
  method: 'post',
  path: '/api/api-keys/{key_id}/rotate',
  tag: 'API keys',
  summary: 'Replace an API key by a new one',
  description:
    'The new key has the name, scopes and expiry of the old one, which works for overlap_seconds more (default 0).',
  scope: 'admin',
  params: apiKeyPath,
  body: apiKeyRotate,
  success: 201,
  response: newApiKeyWire,
  secret: 'key',
  errors: [409],
  run: ({ caller, params: { key_id }, body, now, write }) =>
    write(async (tx) => {
      const old = await lockApiKey(tx, caller.accountId, key_id);
      if (!old) throw notFound(`API key ${key_id}`);
      assertLive(old, now);
      const made = await makeApiKey(tx, caller, old, now);
      const overlapEnds = now + (body.overlap_seconds ?? 0) * 1_000;
      if (old.expiresAt === null || old.expiresAt > overlapEnds) {
        await updateKeyExpiry(tx, caller.accountId, key_id, overlapEnds);
      }
      return made;
    }),
});

function assertLive({ keyId, expiresAt, isRevoked }: ApiKey, now: Instant): void {
  if (isRevoked) throw conflict(`API key ${keyId} has been revoked.`);
  if (expiresAt !== null && expiresAt <= now) throw conflict(`API key ${keyId} has expired.`);
}
