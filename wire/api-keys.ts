import { z } from '@hono/zod-openapi';
import { type Instant, isoFromInstant, isoOrNull } from '../core/instants.ts';
import { SCOPES, type Scope } from '../core/scopes.ts';
import { instantInput, instantWire, integerInput, textInput } from './primitives.ts';

/** A rotated key that lives on longer than this has not been rotated. */
const MAX_OVERLAP_SECONDS = 30 * 86_400;

const scope = z.enum(SCOPES);

/** Body of POST /api/api-keys (spec/accounts#keys). That `expires_at` is not past is for the operation to check. */
export const apiKeyCreate = z.strictObject({
  name: textInput,
  scopes: z
    .array(scope)
    .min(1, 'Must name at least one scope.')
    .transform((scopes): Scope[] => [...new Set(scopes)])
    .default([...SCOPES])
    .openapi({ type: 'array', items: { type: 'string', enum: [...SCOPES] }, minItems: 1 }),
  expires_at: instantInput.nullable().default(null),
});

/** Body of POST /api/api-keys/{key_id}/rotate: how long the old key works beside the new one. */
export const apiKeyRotate = z.strictObject({
  overlap_seconds: integerInput(0, MAX_OVERLAP_SECONDS).optional(),
});

/** Body of POST /api/api-keys/{key_id}/revoke. */
export const apiKeyRevoke = z.strictObject({ force: z.boolean().default(false) });

export const apiKeyPath = z.object({ key_id: z.string() });

const record = z.object({
  key_id: z.string(),
  name: z.string(),
  prefix: z.string().openapi({ description: 'The first characters of the key.' }),
  scopes: z.array(scope),
  created_at: instantWire,
  expires_at: z.union([instantWire, z.null()]).openapi({
    description: 'From then on the key is of no use: when it expires, or when it was revoked. Null: it never expires.',
  }),
  last_used_at: z.union([instantWire, z.null()]).openapi({ description: 'Right to 30 seconds.' }),
});

export const apiKeyWire = record.openapi('ApiKey');

/** A key just made: the only time that it is told. */
export const newApiKeyWire = record.extend({ key: z.string() }).openapi('NewApiKey');

/** The key as the API returns it. */
export function apiKeyToWire(key: {
  keyId: string;
  name: string;
  prefix: string;
  scopes: Scope[];
  createdAt: Instant;
  expiresAt: Instant | null;
  lastUsedAt: Instant | null;
}): z.infer<typeof apiKeyWire> {
  return {
    key_id: key.keyId,
    name: key.name,
    prefix: key.prefix,
    scopes: key.scopes,
    created_at: isoFromInstant(key.createdAt),
    expires_at: isoOrNull(key.expiresAt),
    last_used_at: isoOrNull(key.lastUsedAt),
  };
}
