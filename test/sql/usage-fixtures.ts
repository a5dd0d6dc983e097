import fc from 'fast-check';
import {
  type CategoricalFilter,
  type MetricRule,
  type NumericFilter,
  type PropertyValue,
  propertyNumber,
} from '../../billing/catalog/metrics.ts';
import { decimal, toPlain } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import type { UsageEventRow } from './placed-rows.ts';

/** Random usage for the tests of the metric queries: few names and values, so that they meet, and all of them nasty. */

const NASTY = [
  'a',
  "b' OR 1=1 --",
  "'); DROP TABLE usage_events; --",
  '\\',
  '\\N',
  '\\t',
  '"`$',
  '{property:String}',
  '__proto__',
  'constructor',
  'ünïcødé ☃ 😀',
  '%_*?',
  'NULL',
];
/** Properties may also hold control characters, and their values may be empty. */
const ANY_TEXT = [
  ...NASTY,
  '',
  ' ',
  '\t',
  '\n\r',
  '\u0001',
  'A',
  '1',
  '1.0',
  '01',
  '-0',
  '1e3',
  '1000',
  'true',
  'false',
];
const NUMBERS = [
  ...['0', '1', '-1', '1.5', '1000', '0.000000000000000001', '-0.3', '0.1', '0.2'],
  ...['99999999999999999999.999999999999999999', '-99999999999999999999.999999999999999999'],
];
const NUMERIC_STRINGS = [...NUMBERS, '1.50', '1E2', '100000000000000000000', '1e-19', '+1', '0x10', 'Infinity', '1 '];

/** An instant near which the clocks of the zone do something; tests look at the days around it. */
export const ANCHORS: { timeZone: string; anchor: Instant }[] = [
  { timeZone: 'UTC', anchor: Date.UTC(2026, 10, 20) },
  { timeZone: 'Europe/Berlin', anchor: Date.UTC(2026, 2, 29, 1) },
  { timeZone: 'America/New_York', anchor: Date.UTC(2026, 10, 1, 6) },
  // Midnight is missing in the spring, and there twice in the autumn.
  { timeZone: 'Africa/Cairo', anchor: Date.UTC(2026, 3, 23, 22) },
  { timeZone: 'America/Havana', anchor: Date.UTC(2026, 10, 1, 5) },
  // A whole day is missing.
  { timeZone: 'Pacific/Apia', anchor: Date.UTC(2011, 11, 30, 10) },
  { timeZone: 'Australia/Lord_Howe', anchor: Date.UTC(2026, 3, 4, 15) },
  // The clock went back from 00:01 to 23:01.
  { timeZone: 'America/St_Johns', anchor: Date.UTC(2006, 9, 29, 2, 31) },
  { timeZone: 'Asia/Kathmandu', anchor: Date.UTC(2026, 0, 1) },
];

/** Half of the time one of three, so that events and metrics meet. */
export const name = fc.oneof(fc.constantFrom(...NASTY.slice(0, 3)), fc.constantFrom(...NASTY));
const propertyValue: fc.Arbitrary<PropertyValue> = fc.oneof(
  fc.constantFrom(...NUMBERS).map((text): PropertyValue => ({ kind: 'number', value: decimal(text) })),
  fc.constantFrom(...NUMERIC_STRINGS, ...ANY_TEXT).map((value): PropertyValue => ({ kind: 'string', value })),
  fc.boolean().map((value): PropertyValue => ({ kind: 'boolean', value })),
);
const properties = fc
  .array(fc.tuple(name, propertyValue), { maxLength: 6 })
  .map((entries): Record<string, PropertyValue> => Object.fromEntries(entries));

/** Milliseconds around an anchor, most of them at its full hours or a millisecond beside. */
export const distance = fc.oneof(
  fc.tuple(fc.integer({ min: -60, max: 60 }), fc.integer({ min: -1, max: 1 })).map(([h, ms]) => h * 3_600_000 + ms),
  fc.integer({ min: -60 * 3_600_000, max: 60 * 3_600_000 }),
);

export const event = fc.record({
  eventName: fc.oneof({ weight: 4, arbitrary: fc.constant('call') }, { weight: 1, arbitrary: name }),
  customerId: fc.oneof({ weight: 9, arbitrary: fc.constant('c') }, { weight: 1, arbitrary: name }),
  distance,
  properties,
});

const numericFilter = fc.record({
  propertyName: name,
  operator: fc.constantFrom('gt' as const, 'gte' as const, 'lt' as const, 'lte' as const, 'eq' as const),
  comparisonValue: fc.constantFrom(...NUMBERS).map((text) => decimal(text)),
});
const categoricalFilter = fc.record({
  propertyName: name,
  operator: fc.constantFrom('isin' as const, 'isnotin' as const),
  comparisonValue: fc.array(fc.constantFrom(...ANY_TEXT, ...NUMBERS), { maxLength: 8 }),
});
const timeFilter = fc.record({
  daysOfWeek: fc.option(fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), { nil: undefined }),
  hours: fc.option(
    fc.tuple(fc.nat(23), fc.nat(23)).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) + 1 })),
    { nil: undefined },
  ),
});

/** Filters are rare: most questions should match something. */
export const metricRule: fc.Arbitrary<MetricRule> = fc
  .record({
    aggregationType: fc.constantFrom('count' as const, 'sum' as const, 'max' as const, 'unique' as const),
    eventName: fc.oneof(
      { weight: 5, arbitrary: fc.constant('call') },
      { weight: 2, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: name },
    ),
    property: name,
    numericFilters: fc.oneof(
      { weight: 3, arbitrary: fc.constant<NumericFilter[]>([]) },
      { weight: 1, arbitrary: fc.array(numericFilter, { maxLength: 2 }) },
    ),
    categoricalFilters: fc.oneof(
      { weight: 2, arbitrary: fc.constant<CategoricalFilter[]>([]) },
      { weight: 1, arbitrary: fc.array(categoricalFilter, { maxLength: 2 }) },
    ),
    timeFilter: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: timeFilter }),
  })
  .map(({ property, ...rule }) => ({ ...rule, propertyName: rule.aggregationType === 'count' ? null : property }));

/** The maps under which the edge sends an event's properties on. */
export function propertyMaps(
  of: Record<string, PropertyValue>,
): Pick<UsageEventRow, 'numbers' | 'strings' | 'booleans'> {
  const entries = Object.entries(of);
  const numbers = entries.flatMap(([key, property]) => {
    const number = propertyNumber(property);
    return number === null ? [] : [[key, toPlain(number)] as const];
  });
  return {
    numbers: Object.fromEntries(numbers),
    strings: Object.fromEntries(entries.flatMap(([key, p]) => (p.kind === 'string' ? [[key, p.value]] : []))),
    booleans: Object.fromEntries(entries.flatMap(([key, p]) => (p.kind === 'boolean' ? [[key, p.value]] : []))),
  };
}
