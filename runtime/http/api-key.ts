import { hash, randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import type { Scope } from '../../billing/account.ts';
import { HttpError } from './errors.ts';

/** Who calls: the account of a live key. */
export type Caller = {
  keyId: string;
  accountId: string;
  mode: 'test' | 'live';
  scopes: readonly Scope[];
  /** Requests per second that the key may make; null: no limit. */
  rateLimit: number | null;
};

/** The caller that owns a key's hash, or undefined. Throws when that can't be told (503, never 401: design 4). */
export type FindKey = (keyHash: string) => Caller | undefined | Promise<Caller | undefined>;

/** Characters of a key that are shown again in lists, to tell keys apart: the mode and a few of its random ones. */
const PREFIX_LENGTH = 12;

/** A new API key: 32 random bytes behind a prefix that secret scanners can look for. */
export function newApiKey(mode: 'test' | 'live'): string {
  return `mb_${mode}_${randomBytes(32).toString('base64url')}`;
}

/** What is kept of a key: its beginning, and its hash. */
export function traceOfKey(key: string): { prefix: string; keyHash: string } {
  return { prefix: key.slice(0, PREFIX_LENGTH), keyHash: hashKey(key) };
}

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
