import type { Metric, MetricRule } from '../../billing/catalog/metrics.ts';
import { decimal } from '../../core/decimal.ts';
import { newId } from '../../core/ids.ts';
import type { Instant } from '../../core/instants.ts';
import { insertMetric } from '../../sql/postgres/catalog/metrics.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { type MetricCreate, metricToWire } from '../../wire/metrics.ts';
import { created } from '../audit/audited.ts';

/** Cost of a unit where none is given (spec/cost-analysis#cost). */
const DEFAULT_UNIT_COST = decimal(1);

/** Makes a metric. */
export async function createMetric(tx: Transaction, accountId: string, wanted: MetricCreate, now: Instant) {
  const metric: Metric = {
    ...ruleOf(wanted),
    metricId: newId('metric'),
    metricName: wanted.metric_name,
    isCostMetric: wanted.is_cost_metric,
    unitCost: wanted.unit_cost ?? DEFAULT_UNIT_COST,
    status: 'active',
    createdAt: now,
  };
  await insertMetric(tx, accountId, metric);
  return created(metricToWire(metric));
}

/** What a metric of this body counts. */
export function ruleOf(wanted: MetricCreate): MetricRule {
  const { time_filter: time } = wanted;
  return {
    aggregationType: wanted.aggregation_type,
    eventName: wanted.event_name,
    propertyName: wanted.property_name,
    numericFilters: wanted.numeric_filters.map((filter) => ({
      propertyName: filter.property_name,
      operator: filter.operator,
      comparisonValue: filter.comparison_value,
    })),
    categoricalFilters: wanted.categorical_filters.map((filter) => ({
      propertyName: filter.property_name,
      operator: filter.operator,
      comparisonValue: filter.comparison_value,
    })),
    timeFilter: time && { daysOfWeek: time.days_of_week, hours: time.hours },
  };
}
