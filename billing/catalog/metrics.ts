import { type Decimal, toPlain } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import { parseExactNumber } from '../../core/property-numbers.ts';

/** A property of a usage event as it was sent; a numeric string stays a string (spec/events#property-values). */
export type PropertyValue =
  | { kind: 'number'; value: Decimal }
  | { kind: 'string'; value: string }
  | { kind: 'boolean'; value: boolean };

/** An accepted usage event, each idempotency id once. */
export type UsageEvent = {
  eventName: string;
  customerId: string;
  timeCreated: Instant;
  properties: Readonly<Record<string, PropertyValue>>;
};

export type AggregationType = 'count' | 'sum' | 'max' | 'unique';
export type NumericOperator = 'gt' | 'gte' | 'lt' | 'lte' | 'eq';
export type CategoricalOperator = 'isin' | 'isnotin';

export type NumericFilter = { propertyName: string; operator: NumericOperator; comparisonValue: Decimal };
/** `comparisonValue` holds texts in the form of `propertyText`. */
export type CategoricalFilter = { propertyName: string; operator: CategoricalOperator; comparisonValue: string[] };
/** In the customer's time zone; Monday = 1; `from` inclusive, `to` exclusive. What is left out does not restrict. */
export type TimeFilter = { daysOfWeek?: number[] | undefined; hours?: { from: number; to: number } | undefined };

/** The part of a metric that decides what it counts (spec/metrics). */
export type MetricRule = {
  aggregationType: AggregationType;
  /** Null: events of every name. */
  eventName: string | null;
  /** Null exactly for count. */
  propertyName: string | null;
  numericFilters: NumericFilter[];
  categoricalFilters: CategoricalFilter[];
  timeFilter: TimeFilter | null;
};

/** The metric's record (spec/metrics). */
export type Metric = MetricRule & {
  metricId: string;
  metricName: string;
  isCostMetric: boolean;
  /** Cost of one unit, for cost analysis (spec/cost-analysis#margin). */
  unitCost: Decimal;
  status: 'active' | 'archived';
  createdAt: Instant;
};

/**
 * The text by which `unique`, categorical filters and `group_by` compare: numbers as canonical plain decimals, strings
 * verbatim (so number 1 and "1" are the same, "1.0" is another), booleans as `true` and `false` (spec/events#property-values).
 */
export function propertyText(property: PropertyValue): string {
  if (property.kind === 'number') return toPlain(property.value);
  return property.kind === 'string' ? property.value : String(property.value);
}

/** The number that `sum`, `max` and numeric filters see: also that of a string which is exactly a JSON number; else null. */
export function propertyNumber(property: PropertyValue): Decimal | null {
  if (property.kind === 'number') return property.value;
  return property.kind === 'string' ? parseExactNumber(property.value) : null;
}

/** The event's own property of that name, or undefined (never one inherited, such as `constructor`). */
export function propertyOf(event: UsageEvent, name: string): PropertyValue | undefined {
  return Object.hasOwn(event.properties, name) ? event.properties[name] : undefined;
}
