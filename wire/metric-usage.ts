import { z } from '@hono/zod-openapi';
import type { UsageValue } from '../billing/metering/aggregate.ts';
import type { Granularity, Interval } from '../billing/metering/buckets.ts';
import { isFields } from '../core/fields.ts';
import { type Instant, isoFromInstant } from '../core/instants.ts';
import { isBackwards, isMoment, momentInput } from './moments.ts';
import { decimalWire, instantWire, textInput } from './primitives.ts';

const GRANULARITIES = ['total', 'day', 'hour'] as const satisfies readonly Granularity[];

export const END_BEFORE_START = 'Must be after start.';
const MAX_GROUPS = 10_000;

/** Query of GET /api/metrics/<id>/usage (spec/metrics#usage). */
export const metricUsageQuery = z
  .object({
    customer_id: textInput.openapi({ description: 'Whose usage it is about.', example: 'acme' }),
    start: momentInput.openapi({
      description: "Inclusive: a date (midnight in the customer's time zone) or a date-time.",
      example: '2026-11-01',
    }),
    end: momentInput.openapi({
      description: "Exclusive: a date (midnight in the customer's time zone) or a date-time.",
      example: '2026-12-01',
    }),
    granularity: z
      .enum(GRANULARITIES)
      .default('total')
      .openapi({ description: 'Length of the buckets.', example: 'total' }),
    group_by: z.string().min(1, 'This field may not be blank.').max(256).optional().openapi({
      description: 'A property: one result for each of its texts, the largest values first.',
      example: 'region',
    }),
    limit: z
      .string()
      .refine((text) => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_GROUPS, {
        error: `Must be an integer from 1 to ${MAX_GROUPS}.`,
      })
      .transform(Number)
      .openapi({ type: 'integer', minimum: 1, maximum: MAX_GROUPS, default: 1_000 })
      .optional()
      .openapi({
        description:
          'With group_by: how many groups are told one by one, those with the largest values over the whole interval; all others are the rows with `other`. limit + 1 times the buckets is 20,000 at most; without limit it is 1,000, or as many as fit.',
        example: 100,
      }),
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
export type MetricUsageQuery = z.output<typeof metricUsageQuery>;

export const metricUsageWire = z
  .object({
    metric_id: z.string().openapi({ description: 'Id of a metric.', example: 'metric_01jd3k9x' }),
    customer_id: z.string().openapi({ description: 'Whose usage it is.', example: 'acme' }),
    start: instantWire.openapi({
      description: 'Start of the interval or, in a row, of the bucket; inclusive.',
      example: '2026-11-01T00:00:00.000Z',
    }),
    end: instantWire.openapi({
      description: 'End of the interval or, in a row, of the bucket; exclusive.',
      example: '2026-12-01T00:00:00.000Z',
    }),
    granularity: z.enum(GRANULARITIES).openapi({ description: 'Length of the buckets.', example: 'total' }),
    as_of: instantWire.openapi({ description: 'The time up to which accepted events are included.' }),
    results: z
      .array(
        z.object({
          start: instantWire.openapi({
            description: 'Start of the interval or, in a row, of the bucket; inclusive.',
            example: '2026-11-01T00:00:00.000Z',
          }),
          end: instantWire.openapi({
            description: 'End of the interval or, in a row, of the bucket; exclusive.',
            example: '2026-12-01T00:00:00.000Z',
          }),
          value: decimalWire.openapi({ description: "The metric's value in the bucket, exact.", example: 42 }),
          events_count: decimalWire.openapi({
            description: 'Matching events, with or without the aggregated property.',
            example: 120,
          }),
          group: z.string().nullable().optional().openapi({
            description:
              "The property's text; null for events without it. Only with group_by, and not in a row with `other`.",
            example: 'eu-west-1',
          }),
          other: z.literal(true).optional().openapi({
            description:
              'In a row about all groups that are not told one by one, as if they were one: for count and sum what is missing from the total, for max their maximum, for unique the distinct values among their events (a value that a told group also has counts here too). Such a row has no `group`; every other row has no `other`.',
            example: true,
          }),
        }),
      )
      .openapi({
        description: 'One row for each bucket or, with group_by, for each pair of bucket and group that occurs.',
      }),
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
