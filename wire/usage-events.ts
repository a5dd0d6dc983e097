import { z } from '@hono/zod-openapi';
import type { UsageEvent } from '../billing/catalog/metrics.ts';
import { type Instant, isoFromInstant } from '../core/instants.ts';
import { momentInput } from './moments.ts';
import { callerIdInput, decimalWire, instantWire, integerInput } from './primitives.ts';

/** Body of POST /api/track as the OpenAPI document shows it; the edge parses it by itself, at its own speed (spec/events#acceptance). */
export const usageEventTrack = z
  .strictObject({
    event_name: z.string().min(1).max(256).openapi({ description: 'What happened.', example: 'api_call' }),
    customer_id: callerIdInput.openapi({
      description: 'Whose usage it is; the customer need not exist yet.',
      example: 'acme',
    }),
    idempotency_id: callerIdInput.openapi({
      description: 'Id of the event, chosen by the caller. A repeated one is counted once, for ever.',
      example: 'e-1',
    }),
    time_created: instantWire.openapi({
      description:
        'When it happened, from 2000-01-01 to 24 hours ahead (in test mode to 2299-12-31); finer than a millisecond is truncated.',
    }),
    properties: z
      .record(z.string(), z.union([z.string().max(4_096), z.number(), z.boolean()]))
      .openapi({ description: 'Up to 100 keys of 1 to 256 characters.' })
      .optional(),
  })
  .openapi({
    example: {
      event_name: 'api_call',
      customer_id: 'acme',
      idempotency_id: 'e-1',
      time_created: '2026-11-20T10:00:00.000Z',
      properties: { region: 'eu', bytes: 1024 },
    },
  });

export const trackedWire = z
  .object({
    success: z.literal('all').openapi({ description: 'All of it was accepted.', example: 'all' }),
    idempotency_id: z.string().openapi({
      description: 'Id of the event, chosen by the caller. A repeated one is counted once, for ever.',
      example: 'e-1',
    }),
    status: z
      .literal('queued')
      .openapi({ description: 'It is on disk, and counts within a second.', example: 'queued' }),
  })
  .openapi('TrackedEvent');

/** Body of POST /api/events/batch as the OpenAPI document shows it; the edge takes it apart by itself (spec/events#batches). */
export const usageEventBatch = z.strictObject({
  events: z
    .array(usageEventTrack)
    .min(1)
    .max(10_000)
    .openapi({ description: 'Each is judged by itself: a bad one stops no other.' }),
});

/** The same as NDJSON. */
export const usageEventLines = z.string().openapi({
  description: 'An event a line, each as one of `events`; blank lines are skipped.',
  example: ['e-1', 'e-2']
    .map((id) =>
      JSON.stringify({
        event_name: 'api_call',
        customer_id: 'acme',
        idempotency_id: id,
        time_created: '2026-11-20T10:00:00.000Z',
        properties: { region: 'eu', bytes: 1024 },
      }),
    )
    .join('\n'),
});

export const trackedBatchWire = z
  .object({
    accepted: z.int().openapi({ description: 'How many are stored, repeats included.', example: 2 }),
    rejected: z
      .array(
        z.object({
          index: z.int().openapi({ description: 'Its place in the order sent, from 0.', example: 1 }),
          idempotency_id: z
            .string()
            .nullable()
            .openapi({ description: 'As sent, where it is a string.', example: 'e-2' }),
          errors: z.record(z.string(), z.array(z.string())).openapi({
            description: 'What is wrong, by field; under `event` what is wrong with it as a whole.',
            example: { customer_id: ['Required.'] },
          }),
        }),
      )
      .openapi({ description: 'Those that are not stored; with `accepted` all that was sent.' }),
  })
  .openapi('TrackedBatch');

/** Body of POST /api/verify-events (spec/events#questions). */
export const verifyEvents = z
  .strictObject({
    idempotency_ids: z
      .array(callerIdInput)
      .min(1, 'Must have at least one id.')
      .max(1_000, 'Must have at most 1,000 ids.')
      .openapi({ description: 'Ids to look for.', example: ['e-1', 'e-2'] }),
    lookback_days: integerInput(1, 3_650)
      .optional()
      .openapi({ description: 'How many days back to look, by the time of receipt.', example: 30 }),
  })
  .openapi({ example: { idempotency_ids: ['e-1', 'e-2'] } });
export type VerifyEvents = z.output<typeof verifyEvents>;

export const verifyEventsWire = z
  .object({
    status: z.literal('success').openapi({ description: 'The question was answered.', example: 'success' }),
    ids_received: z.array(z.string()).openapi({ description: 'Ids that were accepted.', example: ['e-1'] }),
    ids_not_found: z
      .array(z.string())
      .openapi({ description: 'Ids that were never accepted in the time asked about.', example: ['e-2'] }),
  })
  .openapi('VerifiedEvents');

/** Filters of GET /api/events (spec/events#questions); `start` and `end` are of `time_created`. */
export const usageEventFilters = {
  customer_id: z.string().optional().openapi({ description: 'Only events of this customer.', example: 'acme' }),
  event_name: z.string().optional().openapi({ description: 'Only events of this name.', example: 'api_call' }),
  idempotency_id: z.string().optional().openapi({ description: 'Only the event of this id.', example: 'e-1' }),
  start: momentInput.optional().openapi({
    description: 'Only events that happened from then on: a date (midnight UTC) or a date-time.',
    example: '2026-11-01',
  }),
  end: momentInput.optional().openapi({
    description: 'Only events that happened before: a date (midnight UTC) or a date-time.',
    example: '2026-12-01',
  }),
};

export const usageEventWire = z
  .object({
    idempotency_id: z.string().openapi({
      description: 'Id of the event, chosen by the caller. A repeated one is counted once, for ever.',
      example: 'e-1',
    }),
    event_name: z.string().openapi({ description: 'What happened.', example: 'api_call' }),
    customer_id: z.string().openapi({ description: 'Whose usage it is.', example: 'acme' }),
    time_created: instantWire.openapi({ description: 'When it happened.' }),
    received_at: instantWire.openapi({ description: 'When the stream stored the event.' }),
    properties: z
      .record(z.string(), z.union([z.string(), z.boolean(), decimalWire]))
      .openapi({ description: 'What it was sent with, exact.', example: { region: 'eu', bytes: 1024 } }),
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
