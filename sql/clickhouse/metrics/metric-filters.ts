import type {
  CategoricalFilter,
  MetricRule,
  NumericFilter,
  NumericOperator,
  TimeFilter,
} from '../../../billing/catalog/metrics.ts';
import { type Decimal, toPlain, ZERO } from '../../../core/decimal.ts';
import { type Bind, isAmong } from '../query-parameters.ts';
import { hasNumber, numberOf, textOf } from './event-properties.ts';

/** The operator in SQL, and whether it holds for 0, which is what ClickHouse has for a number that is not there. */
const COMPARISONS: Record<NumericOperator, { sql: string; zeroHolds: (than: Decimal) => boolean }> = {
  gt: { sql: '>', zeroHolds: (than) => ZERO.gt(than) },
  gte: { sql: '>=', zeroHolds: (than) => ZERO.gte(than) },
  lt: { sql: '<', zeroHolds: (than) => ZERO.lt(than) },
  lte: { sql: '<=', zeroHolds: (than) => ZERO.lte(than) },
  eq: { sql: '=', zeroHolds: (than) => ZERO.eq(than) },
};

/** A metric's own filters; a time filter reads `local_time` (localTimeName). */
export function filterConditions({ numericFilters, categoricalFilters, timeFilter }: MetricRule, bind: Bind): string[] {
  return [
    ...numericFilters.map((filter) => numericCondition(filter, bind)),
    ...categoricalFilters.map((filter) => categoricalCondition(filter, bind)),
    ...(timeFilter === null ? [] : timeConditions(timeFilter, bind)),
  ];
}

/** Whether the property is there is asked only where that decides: a metric may have forty filters, and each takes time to plan. */
function numericCondition({ propertyName, operator, comparisonValue }: NumericFilter, bind: Bind): string {
  const property = bind('filter_property', 'String', propertyName);
  const than = bind('than', 'Decimal(38, 18)', toPlain(comparisonValue));
  const { sql, zeroHolds } = COMPARISONS[operator];
  const holds = `${numberOf(property)} ${sql} ${than}`;
  return zeroHolds(comparisonValue) ? `(${hasNumber(property)} AND ${holds})` : holds;
}

/** `isnotin` also holds for an event without the property. */
function categoricalCondition({ propertyName, operator, comparisonValue }: CategoricalFilter, bind: Bind): string {
  const property = bind('filter_property', 'String', propertyName);
  const among = (text: string) => isAmong(text, { name: 'values', type: 'String', values: comparisonValue }, bind);
  const listed = comparisonValue.some(mayBeNoString)
    ? `ifNull(${among(textOf(property))}, 0)`
    : among(`strings[${property}]`);
  return operator === 'isin' ? listed : `NOT ${listed}`;
}

/** Whether it may be the text of a number or of a boolean, or what ClickHouse has for a string that is not there. */
function mayBeNoString(text: string): boolean {
  return text === '' || text === 'true' || text === 'false' || /^[-0-9]/.test(text);
}

function timeConditions({ daysOfWeek, hours }: TimeFilter, bind: Bind): string[] {
  const day = 'intDiv(local_time, 86400000)';
  const hour = 'intDiv(local_time, 3600000) % 24';
  return [
    // Day 0, 1970-01-01, was a Thursday.
    ...(daysOfWeek === undefined
      ? []
      : [`(${day} + 3) % 7 + 1 IN ${bind('days_of_week', 'Array(UInt8)', daysOfWeek)}`]),
    ...(hours === undefined ? [] : [`${hour} >= ${bind('from_hour', 'UInt8', hours.from)}`]),
    ...(hours === undefined ? [] : [`${hour} < ${bind('to_hour', 'UInt8', hours.to)}`]),
  ];
}
