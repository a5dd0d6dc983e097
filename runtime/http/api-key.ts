import { hash } from 'node:crypto';
import type { Context } from 'hono';
import { HttpError } from './errors.ts';

/** What a key may be used for; none implies another (contract 2). */
export const SCOPES = ['events:write', 'read', 'write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** Who calls: the account of a live key. */
export type Caller = { keyId: string; accountId: string; mode: 'test' | 'live'; scopes: readonly Scope[] };

/** The caller that owns a key's hash, or undefined. Throws when that can't be told (503, never 401: design 4). */
export type FindKey = (keyHash: string) => Caller | undefined | Promise<Caller | undefined>;

/** SHA-256 of a key in hex: all that is stored of it (contract 2). */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** The caller of a request handled by Hono; see {@link authenticateKey}. */
export function authenticate(c: Context, findKey: FindKey, scope: Scope): Promise<Caller> {
  return authenticateKey(c.req.header('x-api-key'), findKey, scope);
}

/**
 * The caller who sent this `X-API-KEY` header.
 * @throws HttpError 401 for a missing, unknown, revoked or expired key; 403 for one without `scope`.
 */
export async function authenticateKey(key: string | undefined, findKey: FindKey, scope: Scope): Promise<Caller> {
  if (!key) throw new HttpError(401, 'The X-API-KEY header is missing.');
  const caller = await findKey(hashKey(key));
  if (!caller) throw new HttpError(401, 'The API key is not valid.');
  if (!caller.scopes.includes(scope)) throw new HttpError(403, `The API key lacks the scope ${scope}.`);
  return caller;
}
