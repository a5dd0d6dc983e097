import { instantFromIso } from '../../../core/instants.ts';
import { makeApiKey } from '../../../services/accounts/make-api-key.ts';
import { apiKeyCreate, newApiKeyWire } from '../../../wire/accounts/api-keys.ts';
import { operation } from '../../operation.ts';

export const createApiKey = operation({
  id: 'createApiKey',
  method: 'post',
  path: '/api/api-keys',
  tag: 'API keys',
  summary: 'Create an API key',
  description: 'The answer tells the key this once. Without scopes it has all of them.',
  scope: 'admin',
  audit: 'api_key.created',
  body: apiKeyCreate,
  fieldErrors: ({ expires_at }, { now }) => {
    const expiresAt = typeof expires_at === 'string' ? instantFromIso(expires_at) : null;
    return expiresAt !== null && expiresAt <= now ? { expires_at: ['Must be in the future.'] } : {};
  },
  success: 201,
  response: newApiKeyWire,
  secret: 'key',
  run: ({ caller, body, now, write }) =>
    write((tx) => makeApiKey(tx, caller, { name: body.name, scopes: body.scopes, expiresAt: body.expires_at }, now)),
});
