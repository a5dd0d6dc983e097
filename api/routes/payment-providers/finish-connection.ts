import type { Context } from 'hono';
import type { Instant } from '../../../core/instants.ts';
import { type PaymentProcessor, ProcessorError } from '../../../outbound/processors/processor.ts';
import { type HttpApp, refuseOtherMethods } from '../../../runtime/http/app.ts';
import { HttpError } from '../../../runtime/http/errors.ts';
import { insertOutboxEvent, PROCESSOR_TOLD } from '../../../sql/postgres/outbox.ts';
import { takeOauthState } from '../../../sql/postgres/payments/oauth-states.ts';
import { upsertConnection } from '../../../sql/postgres/payments/processor-connections.ts';
import { inTransaction } from '../../../sql/postgres/postgres.ts';
import type { Dependencies, SharedDependencies } from '../../dependencies.ts';
import { pathAliases } from '../../path-aliases.ts';
import { hashState, STATE_LIFE_MS } from '../../processors/oauth-state.ts';
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
    app.get(path, (c) => finishConnection(c, dependencies));
    refuseOtherMethods(app, path, ['GET']);
  }
}

async function finishConnection(c: Context, dependencies: SharedDependencies): Promise<Response> {
  const { postgres, clock, processors, log } = dependencies;
  const processor = configuredProcessor(processors, c.req.param('provider') ?? '');
  const { code, state, error } = c.req.query();
  const now = clock.now();
  const stateHash = hashState(state ?? '');
  const asked = { stateHash, provider: processor.name, notBefore: now - STATE_LIFE_MS };
  const started = state ? await takeOauthState(postgres, asked) : undefined;
  if (!started) throw new HttpError(400, 'The state is missing, unknown, used or expired. Connect again.');
  const back = new URL(started.redirectUrl);
  if (!code) {
    back.searchParams.set('error', error ?? 'no_code');
    return c.redirect(back.href, 302);
  }
  try {
    await connect(dependencies, { accountId: started.accountId, processor, code, now });
    back.searchParams.set('connected', processor.name);
  } catch (failure) {
    if (!(failure instanceof ProcessorError)) throw failure;
    log.warn({ error: failure, provider: processor.name }, 'a connection was not granted');
    back.searchParams.set('error', failure.failure === 'away' ? 'processor_unavailable' : 'not_granted');
  }
  return c.redirect(back.href, 302);
}

async function connect(
  { postgres, cipher }: Pick<Dependencies, 'postgres' | 'cipher'>,
  asked: { accountId: string; processor: PaymentProcessor; code: string; now: Instant },
): Promise<void> {
  const { accountId, processor, code, now: connectedAt } = asked;
  const grant = await processor.exchangeCode(code);
  const provider = processor.name;
  await inTransaction(postgres, accountId, async (tx) => {
    await upsertConnection(tx, cipher, { accountId, provider, grant, connectedAt });
    // Its payers' payment methods can be asked for from now on.
    const data = { provider, kind: 'connected' };
    await insertOutboxEvent(tx, { accountId, type: PROCESSOR_TOLD, subject: `payment_provider/${provider}`, data });
  });
}
