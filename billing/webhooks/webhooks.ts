import type { Instant } from '../../core/instants.ts';

/** What endpoints can be told of: the types of a subscription and its invoices first (spec/webhooks#events). */
export const WEBHOOK_EVENT_TYPES = [
  'subscription.created',
  'subscription.activated',
  'subscription.trial_will_end',
  'subscription.trial_ended',
  'subscription.renewed',
  'subscription.plan_changed',
  'subscription.paused',
  'subscription.resumed',
  'subscription.canceled',
  'subscription.failed',
  'invoice.created',
  'invoice.paid',
  'invoice.voided',
  'invoice.past_due',
  'refund.created',
  'refund.succeeded',
  'credit.created',
  'chain.head_published',
  'price.missing',
] as const;
export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number];

/** Sent on demand to one endpoint, whatever its triggers. */
export const WEBHOOK_TEST = 'webhook.test';

export type WebhookEndpoint = {
  webhookEndpointId: string;
  name: string | null;
  webhookUrl: string;
  /** Null: every type, also those to come. */
  triggersIn: WebhookEventType[] | null;
  status: 'active' | 'disabled';
  createdAt: Instant;
};

/** One sending. `statusCode` null: no answer came, `error` says why; it also says why an answer is a failure. */
export type WebhookAttempt = { at: Instant; statusCode: number | null; error: string | null; durationMs: number };

export type WebhookDelivery = {
  deliveryId: string;
  eventId: string;
  eventType: string;
  status: 'pending' | 'succeeded' | 'failed';
  attempts: WebhookAttempt[];
  nextAttemptAt: Instant | null;
  createdAt: Instant;
};

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The waits before the retries, each from the end of the attempt before (spec/webhooks#delivery); together about three days. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** A 2xx answer is the only success (spec/webhooks#delivery). */
export function isAccepted(attempt: Pick<WebhookAttempt, 'statusCode'>): boolean {
  return attempt.statusCode !== null && attempt.statusCode >= 200 && attempt.statusCode < 300;
}

/** What an attempt leads to; `disables`: the endpoint wants, or takes, nothing any more. */
export type AttemptVerdict =
  | { kind: 'succeeded' }
  | { kind: 'retry'; at: Instant }
  | { kind: 'failed'; disables: boolean };

/** How a delivery stands: attempts of this round before this one, the first one's time, and since when the endpoint fails. */
export type DeliveryState = { tries: number; firstTriedAt: Instant; failingSince: Instant };

/**
 * What follows from an attempt. 410 disables the endpoint. So does a delivery whose whole schedule has failed while the
 * endpoint accepted nothing at all since its first attempt: three days of silence, not one event that it can't digest.
 */
export function attemptVerdict(attempt: WebhookAttempt, state: DeliveryState): AttemptVerdict {
  if (isAccepted(attempt)) return { kind: 'succeeded' };
  if (attempt.statusCode === 410) return { kind: 'failed', disables: true };
  const delay = RETRY_DELAYS_MS[state.tries];
  if (delay !== undefined) return { kind: 'retry', at: attempt.at + attempt.durationMs + delay };
  return { kind: 'failed', disables: state.failingSince <= state.firstTriedAt };
}
