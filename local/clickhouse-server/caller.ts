import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { namesUs, OWN_NAMES } from '../own-names.ts';
import { type Exception, exception } from './exception.ts';

/** The one user of the local server. */
export const USER = 'meterbook';
/** Answers 200 if the engine works: ours alone, ClickHouse has no such path. */
export const HEALTH_PATH = '/health';

/**
 * Why a request is refused before anything of it is read; undefined where it may go on. A page in a browser sends an `Origin`
 * with whatever could do harm, and its own host where it has had its name point to this machine. A probe asks nothing of the
 * data and needs no password.
 */
export function refusalOf(
  headers: IncomingHttpHeaders,
  { password, isProbe }: { password: string; isProbe: boolean },
): Exception | undefined {
  if (headers.origin !== undefined) return refused('Web pages have no access: the request has an Origin');
  if (!namesUs(headers)) return refused(`The host of the request must be one of ${OWN_NAMES.join(', ')}`);
  if (isProbe || isSame(headers.authorization ?? '', basic(password))) return undefined;
  return refused('Authentication failed: the address in stack.json has the user and the password');
}

function basic(password: string): string {
  return `Basic ${Buffer.from(`${USER}:${password}`).toString('base64')}`;
}

/** In constant time: how long it takes must not tell how much of a guess was right. */
function isSame(given: string, wanted: string): boolean {
  const [a, b] = [given, wanted].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}

function refused(message: string): Exception {
  return exception(516, message, 'AUTHENTICATION_FAILED');
}
