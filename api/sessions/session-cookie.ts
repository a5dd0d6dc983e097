import type { Context } from 'hono';
import { generateCookie, getCookie } from 'hono/cookie';
import { publicUrl } from '../public-url.ts';

const NAME = 'meterbook_session';
/** A browser takes a cookie of this prefix only by https, from this very host and for all of its paths: no neighbour can plant one. */
const HTTPS_NAME = `__Host-${NAME}`;

/** No browser keeps the cookie longer than its session can live, in seconds. */
const MAX_AGE = 12 * 3_600;

/** The token in the request's cookie, if it has one. */
export function readSessionCookie(c: Context): string | undefined {
  return getCookie(c, nameFor(c)) || undefined;
}

/** The header by which the browser keeps a session's token, where no script reads it and no other site has it sent. */
export function sessionCookie(c: Context, token: string): string {
  return cookieOf(c, token, MAX_AGE);
}

/** The header by which the browser forgets it. */
export function noSessionCookie(c: Context): string {
  return cookieOf(c, '', 0);
}

function cookieOf(c: Context, value: string, maxAge: number): string {
  const secure = isHttps(c);
  return generateCookie(nameFor(c), value, { path: '/', httpOnly: true, sameSite: 'Strict', secure, maxAge });
}

function nameFor(c: Context): string {
  return isHttps(c) ? HTTPS_NAME : NAME;
}

function isHttps(c: Context): boolean {
  return publicUrl(c).protocol === 'https:';
}
