import { rotateApiKey as rotate } from '../../../services/accounts/rotate-api-key.ts';
import { apiKeyPath, apiKeyRotate, newApiKeyWire } from '../../../wire/accounts/api-keys.ts';
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
  audit: 'api_key.rotated',
  params: apiKeyPath,
  body: apiKeyRotate,
  success: 201,
  response: newApiKeyWire,
  secret: 'key',
  errors: [409],
  run: ({ caller, params, body, now, write }) => write((tx) => rotate(tx, caller, params.key_id, body, now)),
});
