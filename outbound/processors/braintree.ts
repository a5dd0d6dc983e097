import type { BraintreeGateway, Transaction } from 'braintree';
import { z } from 'zod';
import type { RefundOutcome } from '../../billing/credits/refunds.ts';
import { currencyOf } from '../../core/currencies.ts';
import { instantFromIso } from '../../core/instants.ts';
import { eventFrom, type Notification, notification } from './braintree-events.ts';
import {
  createGateway,
  failureFromBraintree,
  type Gateway,
  isInvalidSignature,
  orNull,
  verifyingGateway,
} from './braintree-gateway.ts';
import { chargeOutcome, refundOutcome, type TransactionState } from './braintree-outcomes.ts';
import {
  type ChargeOrder,
  type ChargeOutcome,
  type Grant,
  type PaymentProcessor,
  ProcessorError,
  type ProcessorRefund,
  type ProcessorSettings,
  type SentCharge,
} from './processor.ts';

/** "Cannot refund transaction unless it is settled." (Braintree's validation errors) */
const NOT_SETTLED_YET = '91506';

/**
 * Braintree behind the port, by its official SDK. It has no idempotency keys: an order carries our id as its order id, and is
 * looked for by it before it is sent, every time.
 */
export function createBraintree(settings: ProcessorSettings): PaymentProcessor {
  const ours = createGateway(settings, { clientId: settings.clientId, clientSecret: settings.secretKey });
  const verifying = verifyingGateway(settings);
  const actingFor = ({ accessToken }: Grant) => createGateway(settings, { accessToken });
  return {
    name: 'braintree',
    authorizationUrl: ({ state, redirectUri }) => ours.oauth.connectUrl({ redirectUri, scope: 'read_write', state }),
    exchangeCode: (code) => asProcessorErrors(async () => grantFrom(await ours.oauth.createTokenFromCode({ code }))),
    // Its API names the merchant by its id alone.
    findAccountName: () => Promise.resolve(null),
    refreshGrant: ({ refreshToken }) =>
      refreshToken === null
        ? Promise.resolve(null)
        : asProcessorErrors(async () => grantFrom(await ours.oauth.createTokenFromRefreshToken({ refreshToken }))),
    revokeGrant: (grant) => revokeGrant(ours, grant),
    findPaymentMethod: (grant, payer) => asProcessorErrors(() => findPaymentMethod(actingFor(grant), payer)),
    charge: (grant, order) => charge(actingFor(grant), order),
    findCharge: (grant, sent) => asProcessorErrors(() => findCharge(actingFor(grant), sent)),
    cancelCharge: (grant, reference) => asProcessorErrors(() => cancelCharge(actingFor(grant), reference)),
    refund: (grant, order) => asProcessorErrors(() => refund(actingFor(grant), order)),
    findRefund: (grant, processorRefundId) =>
      asProcessorErrors(async () => refundOutcome(await actingFor(grant).transaction.find(processorRefundId))),
    parseEvent: async (body) => {
      const form = new URLSearchParams(body);
      const payload = form.get('bt_payload') ?? '';
      return eventFrom(await verifiedNotification(verifying, form.get('bt_signature') ?? '', payload), payload);
    },
  };
}

declare module 'braintree' {
  interface TransactionGateway {
    /** The SDK takes options here; its types know the amount alone. */
    refund(
      transactionId: string,
      options: { amount: string; orderId: string },
    ): Promise<ValidatedResponse<Transaction>>;
  }
  interface MerchantAccountGateway {
    /** The SDK's types say a promise; it is a stream. */
    all(): AsyncIterable<unknown>;
  }
}

const merchantAccount = z.object({
  id: z.string(),
  status: z.string(),
  currencyIsoCode: z.string(),
  default: z.boolean(),
});

const tokenAnswer = z.object({
  success: z.boolean(),
  message: z.string().nullish(),
  credentials: z.object({ accessToken: z.string(), refreshToken: z.string(), expiresAt: z.string() }).nullish(),
});

/** The merchant is named in the access token itself, which is also where the SDK reads it. */
function grantFrom(answer: unknown): Grant {
  const { success, message, credentials } = tokenAnswer.parse(answer);
  if (!success || !credentials) throw new ProcessorError('refused', message || 'Braintree granted no access.');
  const { accessToken, refreshToken, expiresAt } = credentials;
  const externalAccountId = accessToken.split('$')[2];
  if (!externalAccountId) throw new ProcessorError('refused', 'Braintree named no merchant.');
  return { externalAccountId, accessToken, refreshToken, expiresAt: instantFromIso(expiresAt) };
}

async function revokeGrant(ours: Gateway, { accessToken }: Grant): Promise<void> {
  try {
    await ours.oauth.revokeAccessToken(accessToken);
  } catch (error) {
    const failure = failureFromBraintree(error);
    // Any other answer: the merchant has taken the grant back before us.
    if (failure.failure === 'away') throw failure;
  }
}

/** The payer's default, else the first on file that has not expired; an unknown payer has none. */
async function findPaymentMethod(gateway: Gateway, payer: string): Promise<string | null> {
  const customer = await orNull(() => gateway.customer.find(payer));
  const usable = (customer?.paymentMethods ?? []).filter((method) => !('expired' in method && method.expired));
  const chosen = usable.find((method) => 'default' in method && method.default) ?? usable[0];
  return chosen?.token ?? null;
}

async function charge(gateway: Gateway, order: ChargeOrder): Promise<ChargeOutcome> {
  try {
    const made = await findByOrder(gateway, order.attemptId, 'sale');
    if (made) return chargeOutcome(made);
    const merchantAccountId = await findMerchantAccount(gateway, order.currency);
    if (merchantAccountId === null) {
      const message = `The Braintree account takes no payments in ${order.currency}.`;
      return { status: 'failed', reference: null, code: 'currency_not_supported', message };
    }
    const answer = await gateway.transaction.sale({
      amount: amountText(order),
      orderId: order.attemptId,
      paymentMethodToken: order.paymentMethod,
      merchantAccountId,
      transactionSource: 'unscheduled',
      options: { submitForSettlement: true },
    });
    // A sale that was declined is no success, and is a transaction all the same.
    if (answer.transaction) return chargeOutcome(answer.transaction);
    return { status: 'failed', reference: null, code: 'refused', message: answer.message };
  } catch (error) {
    const failure = failureFromBraintree(error);
    if (failure.failure === 'revoked') throw failure;
    if (failure.failure === 'away') return { status: 'unknown', message: failure.message };
    return { status: 'failed', reference: null, code: 'refused', message: failure.message };
  }
}

async function findCharge(gateway: Gateway, { attemptId, reference }: SentCharge): Promise<ChargeOutcome | null> {
  const found =
    reference === null
      ? await findByOrder(gateway, attemptId, 'sale')
      : await orNull(() => gateway.transaction.find(reference));
  return found && chargeOutcome(found);
}

/** A sale that is on its way can no longer be voided: then it stands as it is. */
async function cancelCharge(gateway: Gateway, reference: string): Promise<ChargeOutcome> {
  const answer = await gateway.transaction.void(reference);
  return chargeOutcome(answer.success ? answer.transaction : await gateway.transaction.find(reference));
}

/** A sale that has not settled yet cannot be refunded: that is to be asked again, some hours later. */
async function refund(gateway: Gateway, order: ProcessorRefund): Promise<RefundOutcome> {
  const made = await findByOrder(gateway, order.refundId, 'credit');
  if (made) return refundOutcome(made);
  const request = { amount: amountText(order), orderId: order.refundId };
  const answer = await gateway.transaction.refund(order.chargeReference, request);
  if (answer.transaction) return refundOutcome(answer.transaction);
  if (answer.errors.deepErrors().some(({ code }) => code === NOT_SETTLED_YET)) {
    throw new ProcessorError('away', 'Braintree refunds a payment only when it has settled.');
  }
  return { status: 'failed', processorRefundId: null };
}

/** The transaction of an order of ours; of several, one that took money or may have. */
async function findByOrder(
  gateway: Gateway,
  orderId: string,
  type: Transaction['type'],
): Promise<TransactionState | null> {
  const found: Transaction[] = [];
  const stream = gateway.transaction.search((search) => search.orderId().is(orderId));
  for await (const transaction of stream) found.push(transaction as Transaction);
  const ofType = found.filter((transaction) => transaction.type === type && !isDuplicate(transaction));
  return ofType.find((transaction) => chargeOutcome(transaction).status !== 'failed') ?? ofType[0] ?? null;
}

function isDuplicate({ gatewayRejectionReason }: Transaction): boolean {
  return gatewayRejectionReason === 'duplicate';
}

/** At Braintree the merchant account decides the currency; the default one where several take it. */
async function findMerchantAccount(gateway: Gateway, currency: string): Promise<string | null> {
  const matching: z.output<typeof merchantAccount>[] = [];
  for await (const one of gateway.merchantAccount.all()) {
    const listed = merchantAccount.parse(one);
    if (listed.currencyIsoCode === currency && listed.status === 'active') matching.push(listed);
  }
  return (matching.find((account) => account.default) ?? matching[0])?.id ?? null;
}

/** In major units, with the decimals of the currency: 10.50 USD, 500 JPY, 5.120 KWD. */
function amountText({ amount, currency }: Pick<ChargeOrder, 'amount' | 'currency'>): string {
  const { exponent } = currencyOf(currency);
  if (!amount.shiftedBy(exponent).isInteger()) throw new Error(`${amount.toFixed()} is no amount in ${currency}`);
  return amount.toFixed(exponent);
}

/** One that Braintree has signed and that nobody here can read is about nothing of ours: to refuse it would only have it sent again. */
async function verifiedNotification(
  gateway: BraintreeGateway,
  signature: string,
  payload: string,
): Promise<Notification> {
  const verified = await gateway.webhookNotification.parse(signature, payload).catch((error: unknown) => {
    if (isInvalidSignature(error)) throw new ProcessorError('forged', 'The notification was not signed by Braintree.');
  });
  const read = notification.safeParse(verified);
  return read.success ? read.data : { kind: 'unreadable' };
}

async function asProcessorErrors<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw failureFromBraintree(error);
  }
}
