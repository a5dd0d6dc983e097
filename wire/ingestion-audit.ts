import { z } from '@hono/zod-openapi';
import { isFields } from '../core/fields.ts';
import { type Instant, isoFromInstant } from '../core/instants.ts';
import { END_BEFORE_START } from './metric-usage.ts';
import { isBackwards, isMoment, momentInput } from './moments.ts';
import { instantWire } from './primitives.ts';

/** Query of GET /api/ingestion/audit: of the time of receipt. */
export const ingestionAuditQuery = z
  .object({
    start: momentInput.openapi({
      description: 'Inclusive, of the time of receipt, taken down to the hour: a date (midnight UTC) or a date-time.',
      example: '2026-11-01',
    }),
    end: momentInput.openapi({
      description: 'Exclusive, of the time of receipt, taken up to the hour: a date (midnight UTC) or a date-time.',
      example: '2026-12-01',
    }),
  })
  .refine(({ start, end }) => !isBackwards(start, end), {
    path: ['end'],
    error: END_BEFORE_START,
    when: ({ value }) => isFields(value) && isMoment(value.start) && isMoment(value.end),
  });
export type IngestionAuditQuery = z.output<typeof ingestionAuditQuery>;

const count = z.int().nonnegative();

export const ingestionAuditWire = z
  .object({
    start: instantWire.openapi({
      description: 'Start of the time of receipt that was audited, inclusive.',
      example: '2026-11-01T00:00:00.000Z',
    }),
    end: instantWire.openapi({
      description: 'End of the time of receipt that was audited, exclusive.',
      example: '2026-12-01T00:00:00.000Z',
    }),
    accepted: count.openapi({ description: 'Events answered with 200, as the usage stream holds them.' }),
    landed: count.openapi({ description: 'Events that count: each id once. Also those erased since.' }),
    repeated: count.openapi({ description: 'Events whose id had been accepted before.' }),
    missing: count.openapi({ description: 'Accepted, but neither landed nor repeated nor a dead letter: must be 0.' }),
    dead_lettered: count.openapi({
      description: 'Events in messages that could not be decoded and wait for a replay.',
    }),
  })
  .openapi('IngestionAudit');

/** The audit of an account's events over whole hours of receipt. */
export type IngestionAudit = {
  start: Instant;
  end: Instant;
  accepted: number;
  landed: number;
  repeated: number;
  missing: number;
  deadLettered: number;
};

/** An audit as the API returns it. */
export function ingestionAuditToWire(audit: IngestionAudit): z.infer<typeof ingestionAuditWire> {
  return {
    start: isoFromInstant(audit.start),
    end: isoFromInstant(audit.end),
    accepted: audit.accepted,
    landed: audit.landed,
    repeated: audit.repeated,
    missing: audit.missing,
    dead_lettered: Math.max(0, audit.deadLettered),
  };
}
