import type { Context } from 'hono';
import { type HttpApp, refuseOtherMethods } from '../../runtime/http/app.ts';
import { readRawBody } from '../../runtime/http/body.ts';
import { HttpError } from '../../runtime/http/errors.ts';
import { declineConnection, keepConnection, offerConnection } from '../../services/payments/connect-processor.ts';
import type { SharedDependencies } from '../dependencies.ts';
import { sendNothingToConfirm, sendOffer } from '../pages/confirm-connection.ts';
import { pathAliases } from '../path-aliases.ts';
import { assertSameOrigin } from '../sessions/cross-site.ts';
import { configuredProcessor } from './processors.ts';

/** What the form of the page sends: a confirmation with a grant in it, and the decision. */
const BODY_LIMIT = 16 * 1_024;

/** Where a processor sends the owner back to, as the caller of connect sees us. */
export function callbackUrl(seen: URL, provider: string): string {
  return new URL(`/api/payment-providers/${provider}/callback`, seen.origin).href;
}

/**
 * Adds the callback of a connection (spec/payments#processors). It takes no key. A GET with a state shows a page that names both accounts,
 * and the POST of that page keeps the grant. Each works once, within 10 minutes.
 */
export function addConnectionCallback(app: HttpApp, dependencies: SharedDependencies): void {
  for (const path of pathAliases({ method: 'get', path: '/api/payment-providers/{provider}/callback' })) {
    app.get(path, (c) => offer(c, dependencies));
    app.post(path, (c) => decide(c, dependencies));
    refuseOtherMethods(app, path, ['GET', 'POST']);
  }
}

/** @throws HttpError 400 for a state that is missing, unknown, used or older than 10 minutes */
async function offer(c: Context, dependencies: SharedDependencies): Promise<Response> {
  const processor = await configuredProcessor(dependencies.processors, c.req.param('provider') ?? '');
  const { code, state, error } = c.req.query();
  const offered = await offerConnection(dependencies, processor, { code, state, error }, dependencies.clock.now());
  if (!offered) return nothingToConfirm(c);
  return offered instanceof URL ? c.redirect(offered.href, 302) : sendOffer(c, offered);
}

/** @throws HttpError 403 from another site; 400 for a confirmation that is unknown, used or older than 10 minutes */
async function decide(c: Context, dependencies: SharedDependencies): Promise<Response> {
  assertSameOrigin(c);
  const processor = await configuredProcessor(dependencies.processors, c.req.param('provider') ?? '');
  const form = new URLSearchParams(await readRawBody(c, BODY_LIMIT));
  const settle = form.get('decision') === 'decline' ? declineConnection : keepConnection;
  const back = await settle(dependencies, processor, form.get('confirmation') ?? '', dependencies.clock.now());
  return back ? c.redirect(back.href, 303) : nothingToConfirm(c);
}

function nothingToConfirm(c: Context): Promise<Response> {
  if (c.req.header('accept')?.includes('text/html')) return sendNothingToConfirm(c);
  throw new HttpError(400, 'The state is missing, unknown, used or expired. Connect again.');
}
