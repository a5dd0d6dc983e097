import { z } from '@hono/zod-openapi';
import { type Instant, isoFromInstant, isoOrNull } from '../../core/instants.ts';
import { SCOPES, type Scope } from '../../core/scopes.ts';
import { instantInput, instantWire, integerInput, textInput } from '../primitives.ts';

/** A rotated key that lives on longer than this has not been rotated. */
const MAX_OVERLAP_SECONDS = 30 * 86_400;

const scope = z.enum(SCOPES);

/** Body of POST /api/api-keys (spec/accounts#keys). That `expires_at` is not past is for the operation to check. */
export const apiKeyCreate = z
  .strictObject({
    name: textInput.openapi({
      description: 'What the key is for, so that people can tell it from others.',
      example: 'edge',
    }),
    scopes: z
      .array(scope)
      .min(1, 'Must name at least one scope.')
      .transform((scopes): Scope[] => [...new Set(scopes)])
      .default([...SCOPES])
      .openapi({ type: 'array', items: { type: 'string', enum: [...SCOPES] }, minItems: 1 })
      .openapi({
        description: 'What the key may do, none implying another; by default all of it.',
        example: ['events:write', 'read'],
      }),
    expires_at: instantInput
      .nullable()
      .default(null)
      .openapi({
        type: ['string', 'null'],
        description: 'From when on the key is of no use; null: it never expires.',
        example: null,
      }),
  })
  .openapi({ example: { name: 'edge', scopes: ['events:write'] } });

/** Body of POST /api/api-keys/{key_id}/rotate: how long the old key works beside the new one. */
export const apiKeyRotate = z
  .strictObject({
    overlap_seconds: integerInput(0, MAX_OVERLAP_SECONDS)
      .optional()
      .openapi({ description: 'For how long the old key works beside the new one.', example: 3600 }),
  })
  .openapi({ example: { overlap_seconds: 3600 } });
export type ApiKeyRotate = z.output<typeof apiKeyRotate>;

/** Body of POST /api/api-keys/{key_id}/revoke. */
export const apiKeyRevoke = z
  .strictObject({
    force: z
      .boolean()
      .default(false)
      .openapi({ description: 'Revoke the key even if it is the last one with scope admin.', example: false }),
  })
  .openapi({ example: { force: false } });
export type ApiKeyRevoke = z.output<typeof apiKeyRevoke>;

export const apiKeyPath = z.object({
  key_id: z.string().openapi({ description: 'Id of an API key.', example: 'key_01jd3k9x' }),
});

const record = z.object({
  key_id: z.string().openapi({ description: 'Id of an API key.', example: 'key_01jd3k9x' }),
  name: z
    .string()
    .openapi({ description: 'What the key is for, so that people can tell it from others.', example: 'edge' }),
  prefix: z.string().openapi({ description: 'The first characters of the key.', example: 'mb_test_1a2b' }),
  scopes: z
    .array(scope)
    .openapi({ description: 'What the key may do; none implies another.', example: ['events:write', 'read'] }),
  created_at: instantWire.openapi({ description: 'When the key was made.' }),
  expires_at: z.union([instantWire, z.null()]).openapi({
    description: 'From then on the key is of no use: when it expires, or when it was revoked. Null: it never expires.',
  }),
  last_used_at: z.union([instantWire, z.null()]).openapi({ description: 'Right to 30 seconds.' }),
});

export const apiKeyWire = record.openapi('ApiKey');

/** A key just made: the only time that it is told. */
export const newApiKeyWire = record
  .extend({ key: z.string().openapi({ description: 'The key itself: shown this once.', example: 'mb_test_...' }) })
  .openapi('NewApiKey');

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
