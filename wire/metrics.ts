import { z } from '@hono/zod-openapi';
import type { Metric } from '../billing/catalog/metrics.ts';
import { toPlain } from '../core/decimal.ts';
import { isFields } from '../core/fields.ts';
import { isoFromInstant } from '../core/instants.ts';
import { decimalInput, decimalWire, instantWire, integerInput, nonNegativeInput, textInput } from './primitives.ts';

const AGGREGATIONS = ['count', 'sum', 'max', 'unique'] as const;
const propertyName = z.string().min(1, 'This field may not be blank.').max(256);

const numericFilter = z.strictObject({
  property_name: propertyName.openapi({ description: 'The property that is compared.', example: 'bytes' }),
  operator: z.enum(['gt', 'gte', 'lt', 'lte', 'eq']).openapi({ description: 'How it is compared.', example: 'gte' }),
  comparison_value: decimalInput.openapi({ description: 'The number that it is compared with.', example: 1024 }),
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
  property_name: propertyName.openapi({ description: 'The property that is compared.', example: 'region' }),
  operator: z
    .enum(['isin', 'isnotin'])
    .openapi({ description: 'Whether the text must be one of the list, or none of it.', example: 'isin' }),
  comparison_value: z
    .array(comparisonText)
    .min(1, 'Must have at least one value.')
    .max(1_000)
    .openapi({ description: 'The texts that it is compared with.', example: ['eu', 'us'] }),
});

const timeFilter = z
  .strictObject({
    days_of_week: z
      .array(integerInput(1, 7))
      .min(1, 'Must name at least one day.')
      .max(7)
      .optional()
      .openapi({ description: 'Days on which events count, Monday = 1.', example: [1, 2, 3, 4, 5] }),
    hours: z
      .strictObject({
        from: integerInput(0, 23).openapi({ description: 'First hour, inclusive.', example: 9 }),
        to: integerInput(1, 24).openapi({ description: 'Last hour, exclusive.', example: 17 }),
      })
      .refine((hours) => hours.from < hours.to, 'from must be before to.')
      .optional()
      .openapi({ description: "Hours of the customer's day in which events count." }),
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
    metric_name: textInput.openapi({
      description: 'Display name of a metric; need not be unique.',
      example: 'API calls',
    }),
    aggregation_type: z.enum(AGGREGATIONS).openapi({ description: 'How events become one value.', example: 'count' }),
    event_name: z
      .string()
      .min(1, 'This field may not be blank.')
      .max(256)
      .nullable()
      .default(null)
      .openapi({ description: 'Which events count; null means all.', example: 'api_call' }),
    property_name: propertyName
      .nullable()
      .default(null)
      .openapi({ description: 'The property that is aggregated; none for count.', example: 'bytes' }),
    numeric_filters: z
      .array(numericFilter)
      .max(40)
      .default([])
      .openapi({ description: 'Conditions on numbers of properties, compared exactly; all filters must hold.' }),
    categorical_filters: z
      .array(categoricalFilter)
      .max(40)
      .default([])
      .openapi({ description: 'Conditions on texts of properties; all filters must hold.' }),
    time_filter: timeFilter
      .nullable()
      .default(null)
      .openapi({ description: "When events count, in the customer's time zone; null: always.", example: null }),
    is_cost_metric: z
      .boolean()
      .default(false)
      .openapi({ description: 'Whether the metric counts as a cost in the cost analysis.', example: false }),
    unit_cost: nonNegativeInput.optional().openapi({ description: 'What a unit of a cost metric costs.', example: 1 }),
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
  })
  .openapi({
    example: {
      metric_name: 'Data sent',
      aggregation_type: 'sum',
      event_name: 'api_call',
      property_name: 'bytes',
    },
  });
export type MetricCreate = z.output<typeof metricCreate>;

/** Body of PATCH /api/metrics/<id>: the name is all of a metric that changes (spec/metrics). */
export const metricUpdate = z
  .strictObject({
    metric_name: textInput.openapi({
      description: 'Display name of a metric; need not be unique.',
      example: 'API calls',
    }),
  })
  .partial()
  .openapi({ example: { metric_name: 'Data out' } });

/** `{metric_id}` in a path. */
export const metricPath = z.object({
  metric_id: z.string().openapi({ description: 'Id of a metric.', example: 'metric_01jd3k9x' }),
});

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
    metric_id: z.string().openapi({ description: 'Id of a metric.', example: 'metric_01jd3k9x' }),
    metric_name: z
      .string()
      .openapi({ description: 'Display name of a metric; need not be unique.', example: 'API calls' }),
    aggregation_type: z.enum(AGGREGATIONS).openapi({ description: 'How events become one value.', example: 'count' }),
    event_name: z
      .string()
      .nullable()
      .openapi({ description: 'Which events count; null means all.', example: 'api_call' }),
    property_name: z.string().nullable().openapi({
      description: 'The property that is aggregated, or compared by a filter; null for count.',
      example: 'bytes',
    }),
    numeric_filters: z
      .array(
        z.object({
          property_name: z.string().openapi({
            description: 'The property that is aggregated, or compared by a filter; null for count.',
            example: 'bytes',
          }),
          operator: z.string().openapi({ description: 'How the property is compared.', example: 'gte' }),
          comparison_value: decimalWire.openapi({
            description: 'What the property is compared with: a number, or a list of texts.',
          }),
        }),
      )
      .openapi({ description: 'Conditions on numbers of properties, compared exactly; all filters must hold.' }),
    categorical_filters: z
      .array(
        z.object({
          property_name: z.string().openapi({
            description: 'The property that is aggregated, or compared by a filter; null for count.',
            example: 'bytes',
          }),
          operator: z.string().openapi({ description: 'How the property is compared.', example: 'gte' }),
          comparison_value: z
            .array(z.string())
            .openapi({ description: 'The texts that it is compared with.', example: ['eu', 'us'] }),
        }),
      )
      .openapi({ description: 'Conditions on texts of properties; all filters must hold.' }),
    time_filter: z
      .object({
        days_of_week: z
          .array(z.number())
          .optional()
          .openapi({ description: 'Days on which events count, Monday = 1.', example: [1, 2, 3, 4, 5] }),
        hours: z
          .object({
            from: z.number().openapi({ description: 'First hour, inclusive.', example: 9 }),
            to: z.number().openapi({ description: 'Last hour, exclusive.', example: 17 }),
          })
          .optional()
          .openapi({ description: "Hours of the customer's day in which events count." }),
      })
      .nullable()
      .openapi({ description: "When events count, in the customer's time zone; null: always." }),
    is_cost_metric: z
      .boolean()
      .openapi({ description: 'Whether the metric counts as a cost in the cost analysis.', example: false }),
    unit_cost: decimalWire.openapi({ description: 'What a unit of a cost metric costs.', example: 1 }),
    status: z
      .enum(['active', 'archived'])
      .openapi({ description: 'archived: no new plan can use it; those that do go on.', example: 'active' }),
    created_at: instantWire.openapi({ description: 'When the metric was made.' }),
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
