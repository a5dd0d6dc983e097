import type { Instant } from '../core/instants.ts';

/** A usage event as the edge accepted it (spec/events#acceptance): fully validated, nothing behind may refuse it. */
export type UsageEvent = {
  accountId: string;
  customerId: string;
  eventName: string;
  timeCreated: Instant;
  idempotencyId: string;
  /** Exact plain decimals; of numbers and of strings that are JSON numbers. */
  numbers: Record<string, string>;
  /** String values, verbatim; a numeric string stands here too. */
  strings: Record<string, string>;
  booleans: Record<string, boolean>;
  receivedAt: Instant;
};
