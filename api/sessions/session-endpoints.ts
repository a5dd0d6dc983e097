import type { Context } from 'hono';
import { invalid } from '../../core/domain-error.ts';
import { type Admitted, admitCaller, type Caller, hashKey } from '../../runtime/http/api-key.ts';
import { type HttpApp, refuseOtherMethods } from '../../runtime/http/app.ts';
import { readBodyObject } from '../../runtime/http/body.ts';
import { HttpError } from '../../runtime/http/errors.ts';
import { readQuery } from '../../runtime/http/query.ts';
import { sendJson } from '../../runtime/http/respond.ts';
import { validate } from '../../runtime/http/validate.ts';
import { endSession } from '../../services/sessions/end-session.ts';
import { findSession, type LiveSession } from '../../services/sessions/find-session.ts';
import { openSession } from '../../services/sessions/open-session.ts';
import { sessionRecord } from '../../services/sessions/session-record.ts';
import { sessionCreate } from '../../wire/accounts/sessions.ts';
import { callerAddress } from '../caller-address.ts';
import type { SharedDependencies } from '../dependencies.ts';
import { keyless } from '../keyless.ts';
import { assertSameOrigin } from './cross-site.ts';
import { countFailedLogins, type JudgeLogin } from './failed-logins.ts';
import { NO_STORE, ownSession } from './session-caller.ts';
import { noSessionCookie, sessionCookie } from './session-cookie.ts';

const PATH = '/console/session';
/** A key, and nothing else. */
const BODY_LIMIT = 16 * 1_024;

type Dependencies = SharedDependencies & { judgeLogin: JudgeLogin };

/**
 * Sessions of the console (spec/accounts#sessions): a person logs in with an API key, which the page then forgets. No operations: they are
 * for a browser of ours, and answer to its cookie.
 */
export function addSessions(app: HttpApp, shared: SharedDependencies): void {
  const dependencies = { ...shared, judgeLogin: countFailedLogins(shared.clock) };
  app.post(PATH, (c) => logIn(c, dependencies));
  app.get(PATH, (c) => show(c, dependencies));
  app.delete(PATH, (c) => logOut(c, dependencies));
  refuseOtherMethods(app, PATH, ['GET', 'POST', 'DELETE']);
}

/**
 * Opens a session. Every attempt that opens none counts as failed, whatever is wrong with it; a request of another site is no attempt,
 * since any page could lock a visitor out by it.
 * @throws HttpError 403 from another site, or for a key that may not read; 401 for one of no use; 429 after too many failures.
 */
async function logIn(c: Context, dependencies: Dependencies): Promise<Response> {
  keepOutOfCaches(c);
  assertSameOrigin(c);
  // Read before its turn: whoever sends slowly makes nobody wait.
  const [sent] = await Promise.allSettled([readBodyObject(c, BODY_LIMIT)]);
  const opened = await dependencies.judgeLogin(fromWhere(c, dependencies).ip, async () => {
    assertNoParameters(c);
    if (sent.status === 'rejected') throw sent.reason;
    const { api_key: key } = validate(sessionCreate, sent.value);
    return keyless(c, dependencies, () => openByKey(c, dependencies, key));
  });
  if (!opened) throw new HttpError(401, 'The API key is not valid.');
  const record = await sessionRecord(dependencies, opened.session, opened.token);
  return sendJson(c, 201, record, { 'Set-Cookie': sessionCookie(c, opened.token) });
}

/** A session of a key, with its token; undefined where the key is of no use. @throws HttpError 403, 429 */
async function openByKey(
  c: Context,
  dependencies: Dependencies,
  key: string,
): Promise<{ token: string; session: LiveSession } | undefined> {
  const caller: Caller | undefined = await dependencies.findKey(hashKey(key));
  if (!caller) return undefined;
  admitCaller(caller, 'read', dependencies.takeRequest, c.get('admitted'));
  const now = dependencies.clock.now();
  // The keys in memory are a moment behind: the records say whether this one is still of use.
  const token = await openSession(dependencies, caller, fromWhere(c, dependencies), now);
  const session = token === undefined ? undefined : await findSession(dependencies, token, now);
  return token !== undefined && session ? { token, session } : undefined;
}

async function show(c: Context, dependencies: Dependencies): Promise<Response> {
  keepOutOfCaches(c);
  assertNoParameters(c);
  const session = await ownSession(c, dependencies);
  return sendJson(c, 200, await sessionRecord(dependencies, session, session.token));
}

async function logOut(c: Context, dependencies: Dependencies): Promise<Response> {
  keepOutOfCaches(c);
  assertNoParameters(c);
  await endSession(dependencies, await ownSession(c, dependencies), fromWhere(c, dependencies));
  return sendJson(c, 204, undefined, { 'Set-Cookie': noSessionCookie(c) });
}

function fromWhere(c: Context, { trustedProxies }: Dependencies) {
  return { requestId: String(c.get('requestId')), ip: callerAddress(c, trustedProxies) };
}

/** Errors, too. */
function keepOutOfCaches(c: Context): void {
  const admitted: Admitted = c.get('admitted');
  admitted.headers = { ...admitted.headers, ...NO_STORE };
}

function assertNoParameters(c: Context): void {
  const { errors } = readQuery(new URL(c.req.url).searchParams, []);
  if (Object.keys(errors).length > 0) throw invalid(errors);
}
