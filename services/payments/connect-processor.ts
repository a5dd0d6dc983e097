import { z } from 'zod';
import type { Instant } from '../../core/instants.ts';
import type { Grant, PaymentProcessor } from '../../outbound/processors/processor.ts';
import { ProcessorError } from '../../outbound/processors/processor.ts';
import { type SecretCipher, UnreadableSecret } from '../../runtime/cipher.ts';
import { inTime } from '../../runtime/in-time.ts';
import type { Log } from '../../runtime/log.ts';
import { loadAccount } from '../../sql/postgres/accounts/accounts.ts';
import { insertOauthState, type OauthState, takeOauthState } from '../../sql/postgres/payments/oauth-states.ts';
import { upsertConnection } from '../../sql/postgres/payments/processor-connections.ts';
import { insertEventToFollow, listConcernedAccounts } from '../../sql/postgres/payments/processor-events.ts';
import { inTransaction, type Pool, type Transaction } from '../../sql/postgres/postgres.ts';
import { changed } from '../audit/audited.ts';
import { BY_SYSTEM } from '../audit/origin.ts';
import { saveAuditEntry } from '../audit/save-audit-entry.ts';
import { findProcessor } from './list-processors.ts';
import { hashConfirmation, hashState, newState, STATE_LIFE_MS } from './oauth-state.ts';

/** What people call the processors. */
const NAMES: Record<PaymentProcessor['name'], string> = { stripe: 'Stripe', braintree: 'Braintree' };

/** The page goes without the name of the account at the processor if that takes longer. */
const NAME_LIMIT_MS = 3_000;

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
  await keepState(tx, { accountId, provider: processor.name, redirectUrl }, hashState(state), now);
  const answer = { authorization_url: processor.authorizationUrl({ state, redirectUri }) };
  // The state in it is a secret.
  return { before: null, after: { provider: processor.name, redirect_url: redirectUrl }, answer };
}

type Sources = { postgres: Pool; cipher: SecretCipher; log: Log };
/** What a processor sent the owner back with. */
type SentBack = { code: string | undefined; state: string | undefined; error: string | undefined };

/**
 * Takes the grant that a processor sent the owner back with, and returns what the owner is asked to confirm. The grant is kept nowhere: it
 * is in the confirmation, encrypted. Returns the URL to send the owner on to if the processor granted nothing; undefined if the state is
 * missing, unknown, used or expired. A state is used up, whatever comes of it.
 */
export async function offerConnection(
  sources: Sources,
  processor: PaymentProcessor,
  { code, state, error }: SentBack,
  now: Instant,
) {
  const started = state ? await take(sources, processor, hashState(state), now) : undefined;
  if (!started) return undefined;
  const { accountId, redirectUrl } = started;
  if (!code) return back(started, { error: error ?? 'no_code' });
  try {
    const grant = await processor.exchangeCode(code);
    const externalName = await inTime(processor.findAccountName(grant), NAME_LIMIT_MS).catch(() => null);
    const token = newState();
    const account = await inTransaction(sources.postgres, accountId, async (tx) => {
      await keepState(tx, started, hashConfirmation(token), now);
      return loadAccount(tx, accountId);
    });
    return {
      ...{ accountName: account.name, mode: account.mode, processor: NAMES[processor.name] },
      ...{ externalAccountId: grant.externalAccountId, externalName, redirectUrl },
      confirmation: sealConfirmation(sources.cipher, token, started, grant),
    };
  } catch (failure) {
    if (!(failure instanceof ProcessorError)) throw failure;
    sources.log.warn({ error: failure, provider: processor.name }, 'a connection was not granted');
    return back(started, { error: failure.failure === 'away' ? 'processor_unavailable' : 'not_granted' });
  }
}

/** Keeps the grant that was offered. Returns where to send the owner on; undefined if the confirmation is unknown, used or expired. */
export async function keepConnection(
  sources: Sources,
  processor: PaymentProcessor,
  confirmation: string,
  now: Instant,
): Promise<URL | undefined> {
  const confirmed = await takeConfirmation(sources, processor, confirmation, now);
  if (!confirmed) return undefined;
  const { started, grant } = confirmed;
  const { accountId } = started;
  const provider = processor.name;
  await inTransaction(sources.postgres, accountId, async (tx) => {
    const before = await findProcessor(tx, accountId, provider);
    await upsertConnection(tx, sources.cipher, { accountId, provider, grant, connectedAt: now });
    // Its owner comes back from the processor without a key of ours.
    const entry = { accountId, action: 'payment_provider.connected', origin: BY_SYSTEM } as const;
    saveAuditEntry(tx, entry, changed(before, await findProcessor(tx, accountId, provider)));
    // Its payers' payment methods can be asked for from now on.
    const data = { provider, kind: 'connected' };
    await insertEventToFollow(tx, { accountId, subject: `payment_provider/${provider}`, data });
  });
  return back(started, { connected: provider });
}

/** Gives the grant that was offered back to the processor. Returns as {@link keepConnection} does. */
export async function declineConnection(
  sources: Sources,
  processor: PaymentProcessor,
  confirmation: string,
  now: Instant,
): Promise<URL | undefined> {
  const declined = await takeConfirmation(sources, processor, confirmation, now);
  if (!declined) return undefined;
  const { started, grant } = declined;
  // A processor takes back all grants of an account at once: a connection that is in use must not end by that.
  const { externalAccountId } = grant;
  const connected = await listConcernedAccounts(sources.postgres, processor.name, { externalAccountId, subject: null });
  if (connected.length === 0) {
    await processor
      .revokeGrant(grant)
      .catch((error: unknown) => sources.log.warn({ error, provider: processor.name }, 'a grant was not given back'));
  }
  return back(started, { error: 'declined' });
}

function keepState(tx: Transaction, state: OauthState, stateHash: string, now: Instant): Promise<void> {
  return insertOauthState(tx, { ...state, stateHash, createdAt: now, expiredBefore: now - STATE_LIFE_MS });
}

function take({ postgres }: Sources, { name: provider }: PaymentProcessor, stateHash: string, now: Instant) {
  return takeOauthState(postgres, { stateHash, provider, notBefore: now - STATE_LIFE_MS });
}

function back({ redirectUrl }: OauthState, outcome: Record<string, string>): URL {
  const url = new URL(redirectUrl);
  for (const [name, value] of Object.entries(outcome)) url.searchParams.set(name, value);
  return url;
}

const storedGrant = z.object({
  externalAccountId: z.string(),
  accessToken: z.string(),
  refreshToken: z.string().nullable(),
  expiresAt: z.number().nullable(),
});

/** The token proves that the page was shown, and is good once; the grant beside it opens only together with it. */
function sealConfirmation(cipher: SecretCipher, token: string, started: OauthState, grant: Grant): string {
  const { keyId, sealed } = cipher.seal(JSON.stringify(grant), confirmationName(started, token));
  return [token, sealed.toString('base64url'), keyId].join('.');
}

async function takeConfirmation(sources: Sources, processor: PaymentProcessor, text: string, now: Instant) {
  const [token = '', sealed = '', ...keyId] = text.split('.');
  const started = token === '' ? undefined : await take(sources, processor, hashConfirmation(token), now);
  if (!started) return undefined;
  try {
    const secret = { keyId: keyId.join('.'), sealed: Buffer.from(sealed, 'base64url') };
    const opened = sources.cipher.open(secret, confirmationName(started, token));
    return { started, grant: storedGrant.parse(JSON.parse(opened)) };
  } catch (error) {
    if (error instanceof UnreadableSecret) return undefined;
    throw error;
  }
}

function confirmationName({ accountId, provider }: OauthState, token: string): string {
  return `oauth_confirmation/${accountId}/${provider}/${hashConfirmation(token)}`;
}
