import { z } from '@hono/zod-openapi';
import type { UsageEvent } from '../billing/catalog/metrics.ts';
import { type Instant, isoFromInstant } from '../core/instants.ts';
import { momentInput } from './moments.ts';
import { callerIdInput, decimalWire, instantWire, integerInput } from './primitives.ts';

/** Body of POST /api/track as the OpenAPI document shows it; the edge parses it by itself, at its own speed (spec/events#acceptance). */
export const usageEventTrack = z.strictObject({
  event_name: z.string().min(1).max(256),
  customer_id: callerIdInput,
  idempotency_id: callerIdInput,
  time_created: instantWire,
  properties: z
    .record(z.string(), z.union([z.string().max(4_096), z.number(), z.boolean()]))
    .openapi({ description: 'Up to 100 keys of 1 to 256 characters.' })
    .optional(),
});

export const trackedWire = z
  .object({ success: z.literal('all'), idempotency_id: z.string(), status: z.literal('queued') })
  .openapi('TrackedEvent');

/** Body of POST /api/verify-events (spec/events#questions). */
export const verifyEvents = z.strictObject({
  idempotency_ids: z
    .array(callerIdInput)
    .min(1, 'Must have at least one id.')
    .max(1_000, 'Must have at most 1,000 ids.'),
  lookback_days: integerInput(1, 3_650).optional(),
});

export const verifyEventsWire = z
  .object({ status: z.literal('success'), ids_received: z.array(z.string()), ids_not_found: z.array(z.string()) })
  .openapi('VerifiedEvents');

/** Filters of GET /api/events (spec/events#questions); `start` and `end` are of `time_created`. */
export const usageEventFilters = {
  customer_id: z.string().optional(),
  event_name: z.string().optional(),
  idempotency_id: z.string().optional(),
  start: momentInput.optional(),
  end: momentInput.optional(),
};

export const usageEventWire = z
  .object({
    idempotency_id: z.string(),
    event_name: z.string(),
    customer_id: z.string(),
    time_created: instantWire,
    received_at: instantWire,
    properties: z.record(z.string(), z.union([z.string(), z.boolean(), decimalWire])),
  })
  .openapi('UsageEvent');

/** A landed event as the API returns it; its properties as they were sent. */
export function usageEventToWire(
  event: UsageEvent & { idempotencyId: string; receivedAt: Instant },
): z.infer<typeof usageEventWire> {
  const properties = Object.entries(event.properties).map(([name, { value }]) => [name, value]);
  return {
    idempotency_id: event.idempotencyId,
    event_name: event.eventName,
    customer_id: event.customerId,
    time_created: isoFromInstant(event.timeCreated),
    received_at: isoFromInstant(event.receivedAt),
    properties: Object.fromEntries(properties),
  };
}
