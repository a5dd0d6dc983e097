import { hash, randomBytes } from 'node:crypto';
import type { Scope } from '../../core/scopes.ts';
import { HttpError } from './errors.ts';
import type { TakeRequest } from './rate-limit.ts';

/** Who calls: the account of a live key. */
export type Caller = {
  keyId: string;
  accountId: string;
  mode: 'test' | 'live';
  scopes: readonly Scope[];
  /** Requests per second that the key may make; null: no limit. */
  rateLimit: number | null;
  /** Of a call from the console: its session, which stands for the key. */
  sessionId?: string;
};

/** The caller that owns a key's hash, or undefined. Throws when that can't be told (503, never 401: architecture#the-edge-and-the-stream). */
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

/** SHA-256 of a key in hex: all that is stored of it (spec/accounts#keys). */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** How callers are known, and held to their limits. */
export type Admission = { findKey: FindKey; takeRequest: TakeRequest };

/** What is known of a request's caller so far, and what the answer tells it beside, of its limit above all: filled in by {@link admit}. */
export type Admitted = { caller?: Caller; headers: Record<string, string> };

/** The scheme in any case, one space or more, the key (RFC 6750). */
const BEARER = /^bearer +(\S+)$/i;

/** The API key that a request carries, from its headers `X-API-KEY` and `Authorization`: with both, the first decides (spec/accounts#keys). */
export function sentKey(apiKey: string | undefined, authorization: string | undefined): string | undefined {
  return apiKey ?? (authorization === undefined ? undefined : BEARER.exec(authorization)?.[1]);
}

/**
 * The caller who sent this key (see {@link sentKey}), written to `admitted` as soon as it is known: errors tell of limits too.
 * @throws HttpError 401 for a missing, unknown, revoked or expired key; 429 above its limit; 403 for one without `scope`.
 */
export async function admit(
  key: string | undefined,
  scope: Scope,
  { findKey, takeRequest }: Admission,
  admitted: Admitted,
): Promise<Caller> {
  if (!key) throw new HttpError(401, 'Send an API key, as X-API-KEY or as Authorization: Bearer.');
  const caller = await findKey(hashKey(key));
  if (!caller) throw new HttpError(401, 'The API key is not valid.');
  admitCaller(caller, scope, takeRequest, admitted);
  return caller;
}

/** As {@link admit}, for a caller who is known. @throws HttpError 429, 403 */
export function admitCaller(caller: Caller, scope: Scope, takeRequest: TakeRequest, admitted: Admitted): void {
  admitted.caller = caller;
  admitted.headers = { ...admitted.headers, ...takeRequest(caller) };
  if (!caller.scopes.includes(scope)) throw new HttpError(403, `The API key lacks the scope ${scope}.`);
}
