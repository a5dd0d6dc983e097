import type { Metric } from '../../../billing/catalog/metrics.ts';
import { decimal } from '../../../core/decimal.ts';
import { newId } from '../../../core/ids.ts';
import { insertMetric } from '../../../sql/postgres/catalog/metrics.ts';
import { METRIC_SYNONYMS, metricCreate, metricToWire, metricWire } from '../../../wire/metrics.ts';
import { operation } from '../../operation.ts';

/** Cost of a unit where none is given (spec/cost-analysis#cost). */
const DEFAULT_UNIT_COST = decimal(1);

export const createMetric = operation({
  id: 'createMetric',
  method: 'post',
  path: '/api/metrics',
  tag: 'Metrics',
  summary: 'Create a metric',
  description:
    'It counts events, or the sum, maximum or distinct values of a property, of those that its filters let through.',
  scope: 'write',
  body: metricCreate,
  synonyms: METRIC_SYNONYMS,
  success: 201,
  response: metricWire,
  run: ({ caller, body, now, write }) =>
    write(async (tx) => {
      const { time_filter: time } = body;
      const metric: Metric = {
        metricId: newId('metric'),
        metricName: body.metric_name,
        aggregationType: body.aggregation_type,
        eventName: body.event_name,
        propertyName: body.property_name,
        numericFilters: body.numeric_filters.map((filter) => ({
          propertyName: filter.property_name,
          operator: filter.operator,
          comparisonValue: filter.comparison_value,
        })),
        categoricalFilters: body.categorical_filters.map((filter) => ({
          propertyName: filter.property_name,
          operator: filter.operator,
          comparisonValue: filter.comparison_value,
        })),
        timeFilter: time && { daysOfWeek: time.days_of_week, hours: time.hours },
        isCostMetric: body.is_cost_metric,
        unitCost: body.unit_cost ?? DEFAULT_UNIT_COST,
        status: 'active',
        createdAt: now,
      };
      await insertMetric(tx, caller.accountId, metric);
      return metricToWire(metric);
    }),
});
