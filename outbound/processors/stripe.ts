import Stripe from 'stripe';
import type { RefundOutcome } from '../../billing/credits/refunds.ts';
import { fetchByAgent } from '../fetch-by-agent.ts';
import { tunnelAgent } from '../proxy.ts';
import {
  CALL_LIMIT_MS,
  type ChargeOrder,
  type ChargeOutcome,
  type Grant,
  type PaymentProcessor,
  ProcessorError,
  type ProcessorRefund,
  type ProcessorSettings,
  type SentCharge,
} from './processor.ts';
import { stripeAmount } from './stripe-money.ts';
import {
  ATTEMPT_ID,
  failedIntent,
  failureFromStripe,
  idOf,
  isTransient,
  outcomeOfIntent,
  outcomeOfRefund,
  REFUND_ID,
  subjectOf,
} from './stripe-outcomes.ts';

const { StripeCardError, StripeError, StripeIdempotencyError } = Stripe.errors;

/** Stripe's own: an event whose signature is older is a replay. */
const EVENT_TOLERANCE_SECONDS = 300;
const CONNECT_BASE = 'https://connect.stripe.com';

/**
 * Stripe behind the port, by its official SDK. Calls are made with the account's own token, one per charge: a payment intent,
 * confirmed off session. The SDK repeats nothing by itself: what is sent again is decided by whoever keeps the attempt.
 */
export function createStripe(settings: ProcessorSettings): PaymentProcessor {
  const client = createClient(settings);
  return {
    name: 'stripe',
    authorizationUrl: (request) => authorizationUrl(settings, request),
    exchangeCode: (code) => asProcessorErrors(() => exchangeCode(client, code)),
    findAccountName: (grant) => asProcessorErrors(() => findAccountName(client, grant)),
    // Tokens of standard accounts do not end.
    refreshGrant: async () => null,
    revokeGrant: (grant) => revokeGrant(client, settings, grant),
    findPaymentMethod: (grant, payer) => asProcessorErrors(() => findPaymentMethod(client, grant, payer)),
    charge: (grant, order) => charge(client, grant, order),
    findCharge: (grant, sent) => asProcessorErrors(() => findCharge(client, grant, sent)),
    cancelCharge: (grant, reference) => asProcessorErrors(() => closeIntent(client, grant, reference)),
    refund: (grant, order) => refund(client, grant, order),
    findRefund: (grant, processorRefundId) =>
      asProcessorErrors(async () =>
        outcomeOfRefund(await client.refunds.retrieve(processorRefundId, {}, actingFor(grant))),
      ),
    parseEvent: async (body, headers, now) => {
      const event = readEvent(client, settings, { body, signature: headers['stripe-signature'], now });
      const externalAccountId = event.account ?? null;
      return { eventId: event.id, type: event.type, externalAccountId, subject: subjectOf(event) };
    },
  };
}

function createClient({ apiBase, secretKey, proxy }: ProcessorSettings): Stripe {
  const base = apiBase === undefined ? undefined : new URL(apiBase);
  return new Stripe(secretKey, {
    ...(base && {
      host: base.hostname,
      port: base.port || (base.protocol === 'http:' ? '80' : '443'),
      protocol: base.protocol === 'http:' ? 'http' : 'https',
    }),
    maxNetworkRetries: 0,
    // Node's client repeats a request whose connection closed, whatever maxNetworkRetries says; this one does not.
    httpClient: Stripe.createFetchHttpClient(proxy && fetchByAgent(tunnelAgent(base?.protocol ?? 'https:', { proxy }))),
    timeout: CALL_LIMIT_MS,
    telemetry: false,
  });
}

function actingFor(grant: Grant): { apiKey: string } {
  return { apiKey: grant.accessToken };
}

/** Made here and not by the SDK, whose address has neither the port nor the protocol of a given base. */
function authorizationUrl(
  { apiBase, clientId }: ProcessorSettings,
  { state, redirectUri }: { state: string; redirectUri: string },
): string {
  const url = new URL('/oauth/authorize', apiBase ?? CONNECT_BASE);
  const asked = { response_type: 'code', client_id: clientId, scope: 'read_write', state, redirect_uri: redirectUri };
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
  return url.href;
}

async function exchangeCode(client: Stripe, code: string): Promise<Grant> {
  const answer = await client.oauth.token({ grant_type: 'authorization_code', code });
  const { stripe_user_id: externalAccountId, access_token: accessToken, refresh_token: refreshToken } = answer;
  if (!externalAccountId || !accessToken) throw new ProcessorError('refused', 'Stripe granted no account.');
  return { externalAccountId, accessToken, refreshToken: refreshToken ?? null, expiresAt: null };
}

async function findAccountName(client: Stripe, grant: Grant): Promise<string | null> {
  const account = await client.accounts.retrieveCurrent({}, actingFor(grant));
  return account.business_profile?.name || account.settings?.dashboard.display_name || account.email || null;
}

async function revokeGrant(client: Stripe, { clientId }: ProcessorSettings, grant: Grant): Promise<void> {
  try {
    await client.oauth.deauthorize({ client_id: clientId, stripe_user_id: grant.externalAccountId });
  } catch (error) {
    const failure = failureFromStripe(error);
    // Refused: the account has taken the grant back before us.
    if (!(failure instanceof ProcessorError) || failure.failure === 'away') throw failure;
  }
}

/** The payer's default, else the first that Stripe has of it; a payer that is unknown or deleted has none. */
async function findPaymentMethod(client: Stripe, grant: Grant, payer: string): Promise<string | null> {
  const customer = await orNull(() => client.customers.retrieve(payer, {}, actingFor(grant)));
  if (customer === null || customer.deleted) return null;
  const byDefault = idOf(customer.invoice_settings?.default_payment_method) ?? idOf(customer.default_source);
  if (byDefault !== null) return byDefault;
  const methods = await orNull(() => client.customers.listPaymentMethods(payer, { limit: 1 }, actingFor(grant)));
  return methods?.data[0]?.id ?? null;
}

async function charge(client: Stripe, grant: Grant, order: ChargeOrder): Promise<ChargeOutcome> {
  try {
    const intent = await client.paymentIntents.create(
      {
        amount: stripeAmount(order.amount, order.currency),
        currency: order.currency.toLowerCase(),
        customer: order.payer,
        payment_method: order.paymentMethod,
        confirm: true,
        off_session: true,
        description: order.description,
        metadata: { [ATTEMPT_ID]: order.attemptId, meterbook_invoice_id: order.invoiceId },
      },
      { ...actingFor(grant), idempotencyKey: order.attemptId },
    );
    return await settle(client, grant, intent);
  } catch (error) {
    return outcomeOfRefusal(client, grant, error);
  }
}

/** What an error says of a charge; only a grant taken back is thrown. */
async function outcomeOfRefusal(client: Stripe, grant: Grant, error: unknown): Promise<ChargeOutcome> {
  if (!(error instanceof StripeError)) throw error;
  const failure = failureFromStripe(error);
  if (failure instanceof ProcessorError && failure.failure === 'revoked') throw failure;
  // An order of that id was made with other words, before the records were restored from a backup: how it stands counts.
  const isMade = error instanceof StripeIdempotencyError;
  if (isMade || isTransient(error)) return { status: 'unknown', message: error.message };
  const declined = error instanceof StripeCardError ? error.payment_intent : undefined;
  if (declined) {
    return settle(client, grant, declined).catch((later: unknown) => outcomeOfRefusal(client, grant, later));
  }
  const code = error.decline_code ?? error.code ?? error.type;
  return { status: 'failed', reference: null, code, message: error.message };
}

/** How an intent stands. One that was declined is closed, so that nobody can pay it later beside another attempt. */
async function settle(client: Stripe, grant: Grant, intent: Stripe.PaymentIntent): Promise<ChargeOutcome> {
  const outcome = outcomeOfIntent(intent);
  return outcome === 'open' ? closeIntent(client, grant, intent.id) : outcome;
}

/**
 * Cancels an intent that has taken no money. Stripe refuses that for one that has, or may have: then how it stands counts. One
 * that it refuses although it could still be paid has not failed: it is to be asked again.
 */
async function closeIntent(client: Stripe, grant: Grant, reference: string): Promise<ChargeOutcome> {
  const canceled = await orNull(() => client.paymentIntents.cancel(reference, {}, actingFor(grant)));
  if (canceled) return failedIntent(canceled);
  const intent = await client.paymentIntents.retrieve(reference, {}, actingFor(grant));
  const outcome = outcomeOfIntent(intent);
  if (outcome !== 'open') return outcome;
  return { status: 'unknown', message: `Stripe does not cancel payment intent ${reference}, which can still be paid.` };
}

async function findCharge(client: Stripe, grant: Grant, sent: SentCharge): Promise<ChargeOutcome | null> {
  const { attemptId, reference } = sent;
  if (reference !== null) {
    return settle(client, grant, await client.paymentIntents.retrieve(reference, {}, actingFor(grant)));
  }
  const query = `metadata['${ATTEMPT_ID}']:'${attemptId}'`;
  const found = await client.paymentIntents.search({ query, limit: 1 }, actingFor(grant));
  const intent = found.data[0];
  return intent === undefined ? null : settle(client, grant, intent);
}

/** A refund that Stripe made before is found by our id in the charge's list, also when its key has expired. */
async function refund(client: Stripe, grant: Grant, order: ProcessorRefund): Promise<RefundOutcome> {
  const { refundId, chargeReference } = order;
  try {
    const made = await orNull(() =>
      client.refunds.list({ payment_intent: chargeReference, limit: 100 }, actingFor(grant)),
    );
    const known = made?.data.find(({ metadata }) => metadata?.[REFUND_ID] === refundId);
    if (known) return outcomeOfRefund(known);
    const created = await client.refunds.create(
      {
        payment_intent: chargeReference,
        amount: stripeAmount(order.amount, order.currency),
        metadata: { [REFUND_ID]: refundId },
      },
      { ...actingFor(grant), idempotencyKey: refundId },
    );
    return outcomeOfRefund(created);
  } catch (error) {
    const failure = failureFromStripe(error);
    if (failure instanceof ProcessorError && failure.failure === 'refused') {
      return { status: 'failed', processorRefundId: null };
    }
    throw failure;
  }
}

function readEvent(
  client: Stripe,
  { webhookSecret }: ProcessorSettings,
  { body, signature, now }: { body: string; signature: string | undefined; now: number },
): Stripe.Event {
  try {
    return client.webhooks.constructEvent(
      body,
      signature ?? '',
      webhookSecret,
      EVENT_TOLERANCE_SECONDS,
      undefined,
      now,
    );
  } catch (error) {
    throw new ProcessorError('forged', error instanceof Error ? error.message : 'The signature is wrong.');
  }
}

/** The answer, or null where Stripe refuses: it does not exist, or its state does not allow it. */
async function orNull<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    const failure = failureFromStripe(error);
    if (failure instanceof ProcessorError && failure.failure === 'refused') return null;
    throw error;
  }
}

async function asProcessorErrors<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw failureFromStripe(error);
  }
}
