import { type Decimal, decimal, sum, ZERO } from '../../core/decimal.ts';
import { type Instant, wallClockAt } from '../../core/instants.ts';
import {
  type CategoricalFilter,
  type MetricRule,
  type NumericFilter,
  propertyNumber,
  propertyOf,
  propertyText,
  type TimeFilter,
  type UsageEvent,
} from '../catalog/metrics.ts';
import type { EventPrices } from '../pricing/percentage.ts';
import type { PriceRow, PropertyTexts } from '../pricing/price-book.ts';

/** Whose events, and when: `timeCreated` in any of the half-open intervals. The zone is for the metric's time filter. */
export type UsageScope = {
  customerId: string;
  intervals: { startsAt: Instant; endsAt: Instant }[];
  timeZone: string;
};

/**
 * `eventsCount` counts matching events, with or without the aggregated property (spec/metrics#aggregations). `byEvent`: what the events
 * come to by a price each, where they were asked for by one; `combinations`: the usage of each, where it was asked for by a price book.
 */
export type UsageValue = {
  value: Decimal;
  eventsCount: Decimal;
  byEvent?: EventPrices;
  combinations?: readonly CountedCombination[];
};

/** Usage of a combination that one row of a price book prices (null: none does); `firstEventAt`: when the earliest of its events happened. */
export type CountedCombination = {
  texts: PropertyTexts;
  row: PriceRow | null;
  usage: UsageValue;
  firstEventAt: Instant;
};

/**
 * The rule of metrics over an array of events: the model against which the query builder for ClickHouse is tested.
 * Events are expected once per idempotency id; their order does not matter (spec/events#repeats, spec/metrics#aggregations).
 */
export function aggregate(metric: MetricRule, events: readonly UsageEvent[], scope: UsageScope): UsageValue {
  const matching = events.filter(
    (event) => isInScope(event, scope) && refusedBy(metric, event, scope.timeZone) === null,
  );
  return { value: aggregateValue(metric, matching), eventsCount: decimal(matching.length) };
}

/** The first field of the metric that refuses the event, such as `numeric_filters.0`; null where it counts (spec/events#trace). */
export function refusedBy(metric: MetricRule, event: UsageEvent, timeZone: string): string | null {
  const { eventName, numericFilters, categoricalFilters, timeFilter } = metric;
  if (eventName !== null && eventName !== event.eventName) return 'event_name';
  const numeric = numericFilters.findIndex((filter) => !numericHolds(filter, event));
  if (numeric >= 0) return `numeric_filters.${numeric}`;
  const categorical = categoricalFilters.findIndex((filter) => !categoricalHolds(filter, event));
  if (categorical >= 0) return `categorical_filters.${categorical}`;
  return timeFilter === null || timeHolds(timeFilter, event.timeCreated, timeZone) ? null : 'time_filter';
}

function isInScope(event: UsageEvent, { customerId, intervals }: UsageScope): boolean {
  const at = event.timeCreated;
  return event.customerId === customerId && intervals.some(({ startsAt, endsAt }) => startsAt <= at && at < endsAt);
}

function aggregateValue({ aggregationType, propertyName }: MetricRule, events: UsageEvent[]): Decimal {
  if (aggregationType === 'count') return decimal(events.length);
  if (propertyName === null) throw new Error(`a metric of type ${aggregationType} needs a property`);
  const properties = events.flatMap((event) => propertyOf(event, propertyName) ?? []);
  if (aggregationType === 'unique') return decimal(new Set(properties.map(propertyText)).size);
  const numbers = properties.flatMap((property) => propertyNumber(property) ?? []);
  if (aggregationType === 'sum') return sum(numbers);
  const [first, ...rest] = numbers;
  return first === undefined ? ZERO : rest.reduce((highest, x) => (x.gt(highest) ? x : highest), first);
}

function numericHolds({ propertyName, operator, comparisonValue }: NumericFilter, event: UsageEvent): boolean {
  const property = propertyOf(event, propertyName);
  const number = property === undefined ? null : propertyNumber(property);
  return number?.[operator](comparisonValue) ?? false;
}

function categoricalHolds({ propertyName, operator, comparisonValue }: CategoricalFilter, event: UsageEvent): boolean {
  const property = propertyOf(event, propertyName);
  const listed = property !== undefined && comparisonValue.includes(propertyText(property));
  return operator === 'isin' ? listed : !listed;
}

function timeHolds({ daysOfWeek, hours }: TimeFilter, at: Instant, timeZone: string): boolean {
  const wall = wallClockAt(at, timeZone);
  return (
    (daysOfWeek === undefined || daysOfWeek.includes(wall.dayOfWeek)) &&
    (hours === undefined || (hours.from <= wall.hour && wall.hour < hours.to))
  );
}
