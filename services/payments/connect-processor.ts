import type { Instant } from '../../core/instants.ts';
import type { PaymentProcessor } from '../../outbound/processors/processor.ts';
import { ProcessorError } from '../../outbound/processors/processor.ts';
import type { SecretCipher } from '../../runtime/cipher.ts';
import type { Log } from '../../runtime/log.ts';
import { insertOauthState, takeOauthState } from '../../sql/postgres/payments/oauth-states.ts';
import { upsertConnection } from '../../sql/postgres/payments/processor-connections.ts';
import { insertEventToFollow } from '../../sql/postgres/payments/processor-events.ts';
import { inTransaction, type Pool, type Transaction } from '../../sql/postgres/postgres.ts';
import { changed } from '../audit/audited.ts';
import { BY_SYSTEM } from '../audit/origin.ts';
import { saveAuditEntry } from '../audit/save-audit-entry.ts';
import { findProcessor } from './list-processors.ts';
import { hashState, newState, STATE_LIFE_MS } from './oauth-state.ts';

/** Where the owner of an account goes: to the processor, which sends it to `redirectUri`, then to `redirectUrl` of the caller. */
type Way = { redirectUrl: string; redirectUri: string };

/** Begins to connect a processor: answers where to send the owner of the account. */
export async function beginConnection(
  tx: Transaction,
  processor: PaymentProcessor,
  accountId: string,
  { redirectUrl, redirectUri }: Way,
  now: Instant,
) {
  const state = newState();
  await insertOauthState(tx, {
    accountId,
    provider: processor.name,
    redirectUrl,
    stateHash: hashState(state),
    createdAt: now,
    expiredBefore: now - STATE_LIFE_MS,
  });
  const answer = { authorization_url: processor.authorizationUrl({ state, redirectUri }) };
  // The state in it is a secret.
  return { before: null, after: { provider: processor.name, redirect_url: redirectUrl }, answer };
}

type Sources = { postgres: Pool; cipher: SecretCipher; log: Log };
/** What a processor sent the owner back with. */
type SentBack = { code: string | undefined; state: string | undefined; error: string | undefined };

/**
 * Ends a connection that was begun, and answers where to send the owner on, which is told there what came of it. The state is used up,
 * whatever comes of it; undefined where it is missing, unknown, used or expired.
 */
export async function finishConnection(
  sources: Sources,
  processor: PaymentProcessor,
  { code, state, error }: SentBack,
  now: Instant,
): Promise<URL | undefined> {
  const asked = { stateHash: hashState(state ?? ''), provider: processor.name, notBefore: now - STATE_LIFE_MS };
  const started = state ? await takeOauthState(sources.postgres, asked) : undefined;
  if (!started) return undefined;
  const back = new URL(started.redirectUrl);
  if (!code) {
    back.searchParams.set('error', error ?? 'no_code');
    return back;
  }
  try {
    await connect(sources, { accountId: started.accountId, processor, code, now });
    back.searchParams.set('connected', processor.name);
  } catch (failure) {
    if (!(failure instanceof ProcessorError)) throw failure;
    sources.log.warn({ error: failure, provider: processor.name }, 'a connection was not granted');
    back.searchParams.set('error', failure.failure === 'away' ? 'processor_unavailable' : 'not_granted');
  }
  return back;
}

async function connect(
  { postgres, cipher }: Sources,
  asked: { accountId: string; processor: PaymentProcessor; code: string; now: Instant },
): Promise<void> {
  const { accountId, processor, code, now: connectedAt } = asked;
  const grant = await processor.exchangeCode(code);
  const provider = processor.name;
  await inTransaction(postgres, accountId, async (tx) => {
    const before = await findProcessor(tx, accountId, provider);
    await upsertConnection(tx, cipher, { accountId, provider, grant, connectedAt });
    // Its owner comes back from the processor without a key of ours.
    const entry = { accountId, action: 'payment_provider.connected', origin: BY_SYSTEM } as const;
    saveAuditEntry(tx, entry, changed(before, await findProcessor(tx, accountId, provider)));
    // Its payers' payment methods can be asked for from now on.
    const data = { provider, kind: 'connected' };
    await insertEventToFollow(tx, { accountId, subject: `payment_provider/${provider}`, data });
  });
}
