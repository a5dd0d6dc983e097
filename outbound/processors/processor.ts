import type { RefundOutcome } from '../../billing/credits/refunds.ts';
import type { PaymentProvider } from '../../billing/payments/payment-providers.ts';
import type { Decimal } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';

/** How a processor is reached: from the environment, `STRIPE_...` and `BRAINTREE_...` (spec/payments#processors). */
export type ProcessorSettings = {
  /** Absent: the processor's own production addresses. */
  apiBase: string | undefined;
  clientId: string;
  secretKey: string;
  webhookSecret: string;
  /** Where calls go through; absent: nowhere (`OUTBOUND_PROXY_URL`). */
  proxy?: URL | undefined;
};

/** What an account granted us by OAuth: the other side's id of it, and the tokens by which we act for it. */
export type Grant = {
  externalAccountId: string;
  accessToken: string;
  refreshToken: string | null;
  /** When the access token ends; null: never. */
  expiresAt: Instant | null;
};

/**
 * An order to charge. The same order may be sent again after a lost answer: `attemptId` is the processor's idempotency key
 * and stands in what the processor stores, so that it is found by it. `amount` in major units of `currency` (upper case).
 */
export type ChargeOrder = {
  attemptId: string;
  invoiceId: string;
  /** The payer at the processor: the customer's `payment_provider_id`. */
  payer: string;
  /** As {@link PaymentProcessor.findPaymentMethod} answered. */
  paymentMethod: string;
  amount: Decimal;
  currency: string;
  description: string;
};

/**
 * What a processor says of a charge. `failed` is final: it took no money and never will under this attempt. `unknown`: no
 * answer that can be relied on; ask {@link PaymentProcessor.findCharge}, then send the same order again.
 * `reference` is the processor's id of the charge, to find and refund it.
 */
export type ChargeOutcome =
  | { status: 'succeeded' | 'processing' | 'requires_action'; reference: string }
  | { status: 'failed'; reference: string | null; code: string; message: string }
  | { status: 'unknown'; message: string };

/** What identifies an attempt at the processor: its id, always; its reference, once an answer has told it. */
export type SentCharge = { attemptId: string; reference: string | null };

/** Money to be sent back of a charge; `refundId` is the idempotency key. `amount` in major units. */
export type ProcessorRefund = {
  refundId: string;
  chargeReference: string;
  amount: Decimal;
  currency: string;
};

/** What an inbound event is about. It is a hint only: whoever acts on it asks the processor how things stand. */
export type EventSubject =
  | { kind: 'charge'; attemptId: string | null; reference: string }
  | { kind: 'refund'; refundId: string | null; processorRefundId: string }
  | { kind: 'dispute'; chargeReference: string; status: string }
  | { kind: 'payer'; payer: string }
  | { kind: 'revoked' };

/** A verified inbound event; `subject` null: of a type that concerns nothing of ours. */
export type ProcessorEvent = {
  eventId: string;
  type: string;
  /** Whose event it is, as in {@link Grant}; null where the processor does not say. */
  externalAccountId: string | null;
  subject: EventSubject | null;
};

/**
 * Why a processor did not do as asked. `away`: no answer, 429 or 5xx, ask again later. `revoked`: the account has taken its
 * grant back. `refused`: it answered, and the answer is no. `forged`: an inbound event that it did not sign.
 */
export type ProcessorFailure = 'away' | 'revoked' | 'refused' | 'forged';

/** Thrown by every call of the port but `charge`, whose refusals are outcomes; `charge` throws it for `revoked` alone. */
export class ProcessorError extends Error {
  readonly failure: ProcessorFailure;

  constructor(failure: ProcessorFailure, message: string) {
    super(message);
    this.name = 'ProcessorError';
    this.failure = failure;
  }
}

/**
 * The port behind which the processors stand (spec/payments#processors): nothing outside of an adapter knows which one it talks to.
 * Called outside of any transaction. Every call throws {@link ProcessorError} where it does not return. Every call ends
 * within CALL_LIMIT_MS.
 */
export type PaymentProcessor = {
  readonly name: PaymentProvider;

  /** Where the account's owner is sent to connect; `redirectUri` is our callback. */
  authorizationUrl(request: { state: string; redirectUri: string }): string;
  /** The grant for a code that the callback brought; `refused` for a code that is unknown, used or expired. */
  exchangeCode(code: string): Promise<Grant>;
  /** The name of the account that granted, for people; null if the processor does not tell it. */
  findAccountName(grant: Grant): Promise<string | null>;
  /** A fresh grant in the place of one whose access token ends; null where tokens of this processor never do. */
  refreshGrant(grant: Grant): Promise<Grant | null>;
  /** Gives the grant back. One that is gone already is no failure. */
  revokeGrant(grant: Grant): Promise<void>;

  /** The payment method to charge a payer by, or null where the processor has none on file, or no such payer. */
  findPaymentMethod(grant: Grant, payer: string): Promise<string | null>;

  charge(grant: Grant, order: ChargeOrder): Promise<ChargeOutcome>;
  /** How a charge stands: by its reference, else by search for the attempt's id. Null where the processor has none. */
  findCharge(grant: Grant, sent: SentCharge): Promise<ChargeOutcome | null>;
  /** Takes a charge back that waits for the payer's action, and says how it stands then: it may have succeeded meanwhile. */
  cancelCharge(grant: Grant, reference: string): Promise<ChargeOutcome>;

  refund(grant: Grant, order: ProcessorRefund): Promise<RefundOutcome>;
  /** How a refund stands, by the id that {@link refund} answered. */
  findRefund(grant: Grant, processorRefundId: string): Promise<RefundOutcome>;

  /** Checks an inbound event's signature over the raw body and reads it; throws `forged`. Header names are lower case. */
  parseEvent(body: string, headers: Record<string, string | undefined>, now: Instant): Promise<ProcessorEvent>;
};

/** A processor that has not answered by then is away; longer than theirs usually take, shorter than a person waits. */
export const CALL_LIMIT_MS = 15_000;
