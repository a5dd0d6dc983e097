import type { Context } from 'hono';
import { sentKey } from '../../runtime/http/api-key.ts';
import { HttpError } from '../../runtime/http/errors.ts';
import { findSession, type LiveSession } from '../../services/sessions/find-session.ts';
import type { SharedDependencies } from '../dependencies.ts';
import { keyless } from '../keyless.ts';
import { assertFromOurPage } from './cross-site.ts';
import { readSessionCookie } from './session-cookie.ts';

/** Answers to a session stay in no cache: they would outlive it. */
export const NO_STORE = { 'Cache-Control': 'no-store' };

/** A session, and the token by which its browser shows that it is its own. */
export type OwnSession = LiveSession & { token: string };

/**
 * The session whose cookie a request carries.
 * @throws HttpError 401 where it carries none, or one whose session is over; 403 where no page of ours has sent it.
 */
export async function ownSession(
  c: Context,
  dependencies: Pick<SharedDependencies, 'postgres' | 'cipher' | 'clock' | 'requestTurns' | 'trustedProxies'>,
): Promise<OwnSession> {
  const token = readSessionCookie(c);
  const find = async () => token !== undefined && findSession(dependencies, token, dependencies.clock.now());
  const session = await keyless(c, dependencies, find);
  if (token === undefined || !session) throw new HttpError(401, 'You are not logged in, or your session has ended.');
  assertFromOurPage(c, token);
  return { ...session, token };
}

/** Whether a request is for an operation's own path and carries the cookie of a session and no key: what a page of ours asks. */
export function isOfSession(c: Context): boolean {
  const key = sentKey(c.req.header('x-api-key'), c.req.header('authorization'));
  return c.req.path.startsWith('/api/') && key === undefined && readSessionCookie(c) !== undefined;
}
