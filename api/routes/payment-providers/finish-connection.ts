import type { Context } from 'hono';
import { type HttpApp, refuseOtherMethods } from '../../../runtime/http/app.ts';
import { HttpError } from '../../../runtime/http/errors.ts';
import { finishConnection } from '../../../services/payments/connect-processor.ts';
import type { SharedDependencies } from '../../dependencies.ts';
import { pathAliases } from '../../path-aliases.ts';
import { configuredProcessor } from '../../processors/processors.ts';

/** Where a processor sends the owner back to, as the caller of connect sees us. */
export function callbackUrl(seen: URL, provider: string): string {
  return new URL(`/api/payment-providers/${provider}/callback`, seen.origin).href;
}

/**
 * The callback of a connection (spec/payments#processors): no key, the state is the proof. It is used up by its first use, whatever comes
 * of it; a state that is missing, unknown, used or older than 10 minutes is 400.
 */
export function addConnectionCallback(app: HttpApp, dependencies: SharedDependencies): void {
  for (const path of pathAliases({ method: 'get', path: '/api/payment-providers/{provider}/callback' })) {
    app.get(path, (c) => sendBack(c, dependencies));
    refuseOtherMethods(app, path, ['GET']);
  }
}

async function sendBack(c: Context, dependencies: SharedDependencies): Promise<Response> {
  const processor = await configuredProcessor(dependencies.processors, c.req.param('provider') ?? '');
  const { code, state, error } = c.req.query();
  const back = await finishConnection(dependencies, processor, { code, state, error }, dependencies.clock.now());
  if (!back) throw new HttpError(400, 'The state is missing, unknown, used or expired. Connect again.');
  return c.redirect(back.href, 302);
}
