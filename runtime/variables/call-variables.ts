import { z } from 'zod';

/** What an operator sets of the connections and calls of the API and its gateway. */
export const callVariables = z.object({
  KEEP_ALIVE_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(3_600)
    .default(75)
    .describe(
      'How long the API and ingest keep a connection without a request open. Set it higher than the keep-alive of the load balancer in front.',
    ),
  RESPONSE_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(1 << 20)
    .max(64 << 20)
    .default(8 << 20)
    .describe(
      'Bytes of the largest answer of the API: a page of a list ends before it, and large members of a record are left out.',
    ),
  PLAN_PRICES_MAX: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(5_000)
    .describe('Rows that the price books of a plan may have in all, in all of its currencies.'),
  CALL_TIMEOUT_SECONDS: z.coerce
    .number()
    .min(1)
    .max(50)
    .default(25)
    .describe(
      'How long the API waits until a change of a subscription is done. Then it answers 503, and the change goes on.',
    ),
  IDEMPOTENCY_REFUSAL_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(0)
    .default(100_000)
    .describe('Bytes of the largest refusal (400, 404, 422) that is kept for an `Idempotency-Key`.'),
});

/** Settings of these variables. */
export function callSettings(e: z.output<typeof callVariables>) {
  return {
    /** How long a connection without a request stays open, in milliseconds. */
    keepAliveMs: e.KEEP_ALIVE_SECONDS * 1_000,
    /** Bytes of the largest answer. */
    responseMaxBytes: e.RESPONSE_MAX_BYTES,
    /** Rows that the price books of a plan may have in all. */
    mostPrices: e.PLAN_PRICES_MAX,
    /** How long a call waits for its change of a subscription, in milliseconds. */
    callTimeoutMs: e.CALL_TIMEOUT_SECONDS * 1_000,
    maxKeptRefusalBytes: e.IDEMPOTENCY_REFUSAL_MAX_BYTES,
  };
}
