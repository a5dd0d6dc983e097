import { timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import { HttpError } from '../../runtime/http/errors.ts';
import { csrfTokenOf } from '../../services/sessions/session-tokens.ts';
import { publicUrl } from '../public-url.ts';

/**
 * Refuses a request that a page of another site makes a browser send (spec/accounts#sessions). A request passes if its `Origin` and
 * `Sec-Fetch-Site` headers are absent or name our own site.
 * @throws HttpError 403 `csrf_failed`
 */
export function assertSameOrigin(c: Context): void {
  const origin = c.req.header('origin');
  const expected = publicUrl(c).origin;
  if (origin !== undefined && origin !== expected) {
    throw failed(
      `The request comes from another origin than ${expected}. Open that address, or set PUBLIC_URL or TRUSTED_PROXIES.`,
    );
  }
  const site = c.req.header('sec-fetch-site');
  const isOurs = site === undefined || site === 'same-origin' || (site === 'none' && isReading(c));
  if (!isOurs) throw failed('The request comes from another site.');
}

/**
 * As {@link assertSameOrigin}; and whatever is not only read carries the session's CSRF token, which only a page of ours is told. A read
 * that carries one is held to it: the page that sends it belongs to that session, and must not show what is another one's.
 * @throws HttpError 403 `csrf_failed`
 */
export function assertFromOurPage(c: Context, token: string): void {
  assertSameOrigin(c);
  const given = c.req.header('x-csrf-token');
  if (given === undefined && isReading(c)) return;
  const [sent, right] = [given ?? '', csrfTokenOf(token)].map((text) => Buffer.from(text));
  if (!sent || !right || sent.length !== right.length || !timingSafeEqual(sent, right)) {
    throw failed('The X-CSRF-Token header is missing or not that of the session.');
  }
}

function isReading({ req: { method } }: Context): boolean {
  return method === 'GET' || method === 'HEAD';
}

function failed(detail: string): HttpError {
  return new HttpError(403, detail, {}, 'csrf_failed');
}
