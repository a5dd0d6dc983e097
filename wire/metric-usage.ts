import { z } from '@hono/zod-openapi';
import type { UsageValue } from '../billing/metering/aggregate.ts';
import type { Granularity, Interval } from '../billing/metering/buckets.ts';
import { type Instant, isoFromInstant } from '../core/instants.ts';
import { isBackwards, isMoment, momentInput } from './moments.ts';
import { decimalWire, instantWire, isFields, textInput } from './primitives.ts';

const GRANULARITIES = ['total', 'day', 'hour'] as const satisfies readonly Granularity[];

export const END_BEFORE_START = 'Must be after start.';
const MAX_GROUPS = 10_000;

/** Query of GET /api/metrics/<id>/usage (spec/metrics#usage). */
export const metricUsageQuery = z
  .object({
    customer_id: textInput,
    start: momentInput,
    end: momentInput,
    granularity: z.enum(GRANULARITIES).default('total'),
    group_by: z.string().min(1, 'This field may not be blank.').max(256).optional(),
    limit: z
      .string()
      .refine((text) => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_GROUPS, {
        error: `Must be an integer from 1 to ${MAX_GROUPS}.`,
      })
      .transform(Number)
      .openapi({ type: 'integer', minimum: 1, maximum: MAX_GROUPS, default: 1_000 })
      .optional(),
  })
  .refine(({ limit, group_by }) => limit === undefined || group_by !== undefined, {
    path: ['limit'],
    error: 'Only with group_by: it is how many groups are told one by one.',
    when: ({ value }) => isFields(value),
  })
  .refine(({ start, end }) => !isBackwards(start, end), {
    path: ['end'],
    error: END_BEFORE_START,
    when: ({ value }) => isFields(value) && isMoment(value.start) && isMoment(value.end),
  });

export const metricUsageWire = z
  .object({
    metric_id: z.string(),
    customer_id: z.string(),
    start: instantWire,
    end: instantWire,
    granularity: z.enum(GRANULARITIES),
    as_of: instantWire,
    results: z.array(
      z.object({
        start: instantWire,
        end: instantWire,
        value: decimalWire,
        events_count: decimalWire,
        group: z.string().nullable().optional(),
        other: z.literal(true).optional(),
      }),
    ),
  })
  .openapi('MetricUsage');

/** What a metric was asked, and its answer bucket by bucket; `group` or `other` only where the question groups. */
export type MetricUsage = {
  metricId: string;
  customerId: string;
  start: Instant;
  end: Instant;
  granularity: Granularity;
  asOf: Instant;
  results: (UsageValue & Interval & { group?: string | null; other?: true })[];
};

/** A metric's usage as the API returns it. */
export function metricUsageToWire(usage: MetricUsage): z.infer<typeof metricUsageWire> {
  return {
    metric_id: usage.metricId,
    customer_id: usage.customerId,
    start: isoFromInstant(usage.start),
    end: isoFromInstant(usage.end),
    granularity: usage.granularity,
    as_of: isoFromInstant(usage.asOf),
    results: usage.results.map((bucket) => ({
      start: isoFromInstant(bucket.startsAt),
      end: isoFromInstant(bucket.endsAt),
      value: bucket.value,
      events_count: bucket.eventsCount,
      ...(bucket.group !== undefined && { group: bucket.group }),
      ...(bucket.other && { other: bucket.other }),
    })),
  };
}
