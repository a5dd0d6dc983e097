import { z } from '@hono/zod-openapi';
import type { Metric } from '../billing/catalog/metrics.ts';
import { toPlain } from '../core/decimal.ts';
import { isoFromInstant } from '../core/instants.ts';
import {
  decimalInput,
  decimalWire,
  instantWire,
  integerInput,
  isFields,
  nonNegativeInput,
  textInput,
} from './primitives.ts';

const AGGREGATIONS = ['count', 'sum', 'max', 'unique'] as const;
const propertyName = z.string().min(1, 'This field may not be blank.').max(256);

const numericFilter = z.strictObject({
  property_name: propertyName,
  operator: z.enum(['gt', 'gte', 'lt', 'lte', 'eq']),
  comparison_value: decimalInput,
});

/** A value to compare text with; a number compares by its canonical plain decimal (spec/events#property-values). */
const comparisonText = z
  .unknown()
  .transform((value, context): string => {
    if (typeof value === 'string') return value;
    if (typeof value === 'boolean') return String(value);
    const number = decimalInput.safeParse(value);
    if (number.success) return toPlain(number.data);
    context.addIssue({ code: 'custom', message: 'Must be a string, a number or a boolean.' });
    return z.NEVER;
  })
  .openapi({ type: 'string' });

const categoricalFilter = z.strictObject({
  property_name: propertyName,
  operator: z.enum(['isin', 'isnotin']),
  comparison_value: z.array(comparisonText).min(1, 'Must have at least one value.').max(1_000),
});

const timeFilter = z
  .strictObject({
    days_of_week: z.array(integerInput(1, 7)).min(1, 'Must name at least one day.').max(7).optional(),
    hours: z
      .strictObject({ from: integerInput(0, 23), to: integerInput(1, 24) })
      .refine((hours) => hours.from < hours.to, 'from must be before to.')
      .optional(),
  })
  .refine((filter) => filter.days_of_week || filter.hours, 'Must have days_of_week or hours.');

/** All filters of a metric together, as JSON. Every question about it carries them, and every event is compared with them. */
const MAX_FILTER_BYTES = 16 * 1024;

type Filters = { numeric_filters: unknown[]; categorical_filters: unknown[] };

/** Names the field that takes more, or both where neither would be too long by itself. */
function tooLongFilters(filters: Filters): (keyof Filters)[] {
  const bytesOf = (name: keyof Filters) => Buffer.byteLength(JSON.stringify(filters[name]));
  const names = ['numeric_filters', 'categorical_filters'] as const;
  if (bytesOf(names[0]) + bytesOf(names[1]) <= MAX_FILTER_BYTES) return [];
  const long = names.filter((name) => bytesOf(name) > MAX_FILTER_BYTES);
  return long.length > 0 ? long : [...names];
}

/** Body of POST /api/metrics (spec/metrics). */
export const metricCreate = z
  .strictObject({
    metric_name: textInput,
    aggregation_type: z.enum(AGGREGATIONS),
    event_name: z.string().min(1, 'This field may not be blank.').max(256).nullable().default(null),
    property_name: propertyName.nullable().default(null),
    numeric_filters: z.array(numericFilter).max(40).default([]),
    categorical_filters: z.array(categoricalFilter).max(40).default([]),
    time_filter: timeFilter.nullable().default(null),
    is_cost_metric: z.boolean().default(false),
    unit_cost: nonNegativeInput.optional(),
  })
  .superRefine(
    (metric, context) => {
      const needsProperty = metric.aggregation_type !== 'count';
      if (needsProperty === (metric.property_name !== null)) return;
      const message = needsProperty ? `Is required for ${metric.aggregation_type}.` : 'Is not allowed for count.';
      context.addIssue({ code: 'custom', path: ['property_name'], message });
    },
    // Also beside other bad fields, so that all are named at once (spec/api#errors).
    { when: ({ value }) => isFields(value) && AGGREGATIONS.some((one) => one === value.aggregation_type) },
  )
  .superRefine((metric, context) => {
    const message = `The filters together may take ${MAX_FILTER_BYTES / 1024} KiB as JSON. Use fewer or shorter values, or send a property that says what they tell apart.`;
    for (const name of tooLongFilters(metric)) context.addIssue({ code: 'custom', path: [name], message });
  });

/** Body of PATCH /api/metrics/<id>: the name is all of a metric that changes (spec/metrics). */
export const metricUpdate = z.strictObject({ metric_name: textInput }).partial();

/** `{metric_id}` in a path. */
export const metricPath = z.object({ metric_id: z.string() });

/** Other accepted names (spec/metrics). */
export const METRIC_SYNONYMS = {
  name: 'metric_name',
  aggregation: 'aggregation_type',
  usage_aggregation_type: 'aggregation_type',
  property: 'property_name',
  'event_filter.event_name': 'event_name',
};

export const metricWire = z
  .object({
    metric_id: z.string(),
    metric_name: z.string(),
    aggregation_type: z.enum(AGGREGATIONS),
    event_name: z.string().nullable(),
    property_name: z.string().nullable(),
    numeric_filters: z.array(
      z.object({ property_name: z.string(), operator: z.string(), comparison_value: decimalWire }),
    ),
    categorical_filters: z.array(
      z.object({ property_name: z.string(), operator: z.string(), comparison_value: z.array(z.string()) }),
    ),
    time_filter: z
      .object({
        days_of_week: z.array(z.number()).optional(),
        hours: z.object({ from: z.number(), to: z.number() }).optional(),
      })
      .nullable(),
    is_cost_metric: z.boolean(),
    unit_cost: decimalWire,
    status: z.enum(['active', 'archived']),
    created_at: instantWire,
  })
  .openapi('Metric');

/** The metric as the API returns it. */
export function metricToWire(metric: Metric): z.infer<typeof metricWire> {
  const { daysOfWeek, hours } = metric.timeFilter ?? {};
  return {
    metric_id: metric.metricId,
    metric_name: metric.metricName,
    aggregation_type: metric.aggregationType,
    event_name: metric.eventName,
    property_name: metric.propertyName,
    numeric_filters: metric.numericFilters.map((filter) => ({
      property_name: filter.propertyName,
      operator: filter.operator,
      comparison_value: filter.comparisonValue,
    })),
    categorical_filters: metric.categoricalFilters.map((filter) => ({
      property_name: filter.propertyName,
      operator: filter.operator,
      comparison_value: filter.comparisonValue,
    })),
    time_filter: metric.timeFilter && { ...(daysOfWeek && { days_of_week: daysOfWeek }), ...(hours && { hours }) },
    is_cost_metric: metric.isCostMetric,
    unit_cost: metric.unitCost,
    status: metric.status,
    created_at: isoFromInstant(metric.createdAt),
  };
}
