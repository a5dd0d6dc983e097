import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MetricRule, UsageEvent } from '../../../billing/catalog/metrics.ts';
import { aggregate } from '../../../billing/metering/aggregate.ts';
import { decimal, toPlain } from '../../../core/decimal.ts';
import { at, event, rule } from '../fixtures.ts';

const NOVEMBER = { startsAt: at('2026-11-01T00:00:00Z'), endsAt: at('2026-12-01T00:00:00Z') };
const SCOPE = { customerId: 'c1', intervals: [NOVEMBER], timeZone: 'UTC' };

function value(metric: Partial<MetricRule>, events: UsageEvent[], timeZone = 'UTC'): string {
  return toPlain(aggregate(rule(metric), events, { ...SCOPE, timeZone }).value);
}

const n = (number: string) => ({ number });
const valuesOf = (...values: (string | boolean | { number: string })[]) => values.map((v) => event({ v }));

describe('the four aggregations', () => {
  it('count: "number of matching events", those without the property too', () => {
    expect(value({}, [event(), event({ v: 'x' }), event({ v: n('3') })])).toBe('3');
  });

  // "A numeric string counts as its number in sum and max; anything else is skipped there." (spec/events#property-values)
  it.each([
    ['sum', ['1.5', n('2.25'), true, 'x', '', ' 3', '1e2'], '103.75'],
    ['max', ['9', n('10'), 'z', true], '10'],
    ['sum', [], '0'],
    // "0 for max (only where nothing is numeric: a max of negatives is negative)" (spec/metrics#aggregations)
    ['max', [], '0'],
    ['max', ['x', true], '0'],
    ['max', [n('-3'), '-2.5', 'x'], '-2.5'],
    ['sum', [n('0.1'), n('0.2')], '0.3'],
    ['sum', ['100000000000000000000', n('1')], '1'],
  ] as const)('%s of %j is %s', (aggregationType, values, expected) => {
    expect(value({ aggregationType, propertyName: 'v' }, [...valuesOf(...values), event({ other: n('99') })])).toBe(
      expected,
    );
  });

  // "unique compares the text (number 1 and "1" are the same value; numbers as canonical plain decimals, booleans true
  // and false; the empty string is a value)" (spec/events#property-values)
  it.each([
    [[n('1'), '1', n('1.0')], '1'],
    [[n('1'), '1.0'], '2'],
    [[true, 'true', false], '2'],
    [['', ''], '1'],
    [[n('1e3'), '1000'], '1'],
    [['a', 'A', 'a '], '3'],
    [[], '0'],
  ])('unique of %j is %s', (values, expected) => {
    expect(value({ aggregationType: 'unique', propertyName: 'v' }, [...valuesOf(...values), event()])).toBe(expected);
  });

  // "events_count: matching events, with or without the property" (spec/metrics#aggregations)
  it('counts the events of a sum apart from its value', () => {
    const metric = rule({ aggregationType: 'sum', propertyName: 'v', eventName: 'call' });
    const events = [event({ v: n('2') }), event(), event({ v: n('5') }, { eventName: 'other' })];
    const usage = aggregate(metric, events, SCOPE);
    expect([toPlain(usage.value), toPlain(usage.eventsCount)]).toEqual(['2', '2']);
  });

  it('never takes a property that the event does not have itself', () => {
    expect(value({ aggregationType: 'unique', propertyName: 'constructor' }, [event()])).toBe('0');
  });
});

describe('filters', () => {
  const numeric = (operator: 'gt' | 'gte' | 'lt' | 'lte' | 'eq', than: string) => ({
    numericFilters: [{ propertyName: 'v', operator, comparisonValue: decimal(than) }],
  });

  // "Numeric filters compare exactly, numeric strings as numbers" (spec/metrics#aggregations)
  it.each([
    ['gt', '2', '2'],
    ['gte', '2', '4'],
    ['lt', '2', '1'],
    ['lte', '2', '3'],
    ['eq', '2', '2'],
    ['eq', '2.000000000000000001', '1'],
  ] as const)('%s %s holds for %s of the events', (operator, than, expected) => {
    const events = valuesOf(n('1'), n('2'), '2.0', n('3'), n('2.000000000000000001'), 'two', true);
    expect(value(numeric(operator, than), [...events, event()])).toBe(expected);
  });

  // "categorical filters compare text as unique does. isnotin holds for an event without the property." (spec/metrics#aggregations)
  it.each([
    ['isin', ['1', 'true'], '3'],
    ['isnotin', ['1', 'true'], '2'],
    ['isin', [], '0'],
    ['isnotin', [], '5'],
  ] as const)('%s %j holds for %s of the events', (operator, comparisonValue, expected) => {
    const events = [...valuesOf(n('1.0'), '1', true, 'b'), event()];
    const categoricalFilters = [{ propertyName: 'v', operator, comparisonValue: [...comparisonValue] }];
    expect(value({ categoricalFilters }, events)).toBe(expected);
  });

  // "in the customer's time zone (from inclusive, to exclusive)"; "Monday = 1" (spec/metrics#aggregations)
  it.each([
    [{ hours: { from: 10, to: 11 } }, '2026-11-20T10:00:00Z', 'UTC', '1'],
    [{ hours: { from: 10, to: 11 } }, '2026-11-20T11:00:00Z', 'UTC', '0'],
    [{ hours: { from: 10, to: 11 } }, '2026-11-20T10:59:59.999Z', 'UTC', '1'],
    [{ hours: { from: 23, to: 24 } }, '2026-11-20T23:59:59.999Z', 'UTC', '1'],
    [{ hours: { from: 10, to: 11 } }, '2026-11-20T10:00:00Z', 'America/New_York', '0'],
    [{ hours: { from: 5, to: 6 } }, '2026-11-20T10:00:00Z', 'America/New_York', '1'],
    [{ daysOfWeek: [5] }, '2026-11-20T10:00:00Z', 'UTC', '1'],
    [{ daysOfWeek: [1, 2, 3, 4, 6, 7] }, '2026-11-20T10:00:00Z', 'UTC', '0'],
    [{ daysOfWeek: [7] }, '2026-11-22T00:30:00Z', 'UTC', '1'],
    [{ daysOfWeek: [6] }, '2026-11-22T00:30:00Z', 'America/New_York', '1'],
    [{ daysOfWeek: [5], hours: { from: 0, to: 10 } }, '2026-11-20T10:00:00Z', 'UTC', '0'],
  ])('time filter %j at %s in %s: %s', (timeFilter, iso, zone, expected) => {
    expect(value({ timeFilter }, [event({}, { timeCreated: at(iso) })], zone)).toBe(expected);
  });

  it('must all hold, with the name of the event', () => {
    const metric = { ...numeric('gt', '1'), eventName: 'call', timeFilter: { daysOfWeek: [5] } };
    const good = event({ v: n('2') });
    const bad = [
      event({ v: n('1') }),
      event({ v: n('2') }, { eventName: 'x' }),
      { ...good, timeCreated: at('2026-11-19T10:00:00Z') },
    ];
    expect(value(metric, [good, ...bad])).toBe('1');
  });
});

describe('scope', () => {
  it('is one customer and half-open intervals', () => {
    const times = [NOVEMBER.startsAt - 1, NOVEMBER.startsAt, NOVEMBER.endsAt - 1, NOVEMBER.endsAt];
    const events = times.map((timeCreated) => event({}, { timeCreated }));
    expect(value({}, [...events, event({}, { customerId: 'c2' })])).toBe('2');
  });

  it('counts an event in two intervals once', () => {
    const usage = aggregate(rule(), [event()], { ...SCOPE, intervals: [NOVEMBER, NOVEMBER] });
    expect(toPlain(usage.value)).toBe('1');
  });
});

describe('properties', () => {
  const anyValue = fc.oneof(
    fc.integer({ min: -50, max: 50 }).map((i) => n(String(i / 4))),
    fc.constantFrom('1', '1.5', '-2', 'x', '', 'true'),
    fc.boolean(),
  );
  const anyEvent = fc
    .tuple(fc.option(anyValue, { nil: undefined }), fc.integer({ min: 0, max: 29 }), fc.constantFrom('call', 'other'))
    .map(([v, day, eventName]) =>
      event(v === undefined ? {} : { v }, { eventName, timeCreated: NOVEMBER.startsAt + day * 86_400_000 }),
    );
  const metrics = fc.constantFrom('count', 'sum', 'max', 'unique').map((aggregationType) =>
    rule({
      aggregationType,
      propertyName: aggregationType === 'count' ? null : 'v',
      categoricalFilters: [{ propertyName: 'v', operator: 'isnotin', comparisonValue: ['x'] }],
    }),
  );

  it('the order of events changes nothing', () => {
    const shuffled = fc
      .array(anyEvent, { maxLength: 30 })
      .chain((events) => fc.tuple(fc.constant(events), fc.shuffledSubarray(events, { minLength: events.length })));
    fc.assert(
      fc.property(metrics, shuffled, (metric, [events, permuted]) => {
        const [a, b] = [aggregate(metric, events, SCOPE), aggregate(metric, permuted, SCOPE)];
        expect([toPlain(a.value), toPlain(a.eventsCount)]).toEqual([toPlain(b.value), toPlain(b.eventsCount)]);
      }),
    );
  });

  // Which event is a repeat is not asked here ("once per idempotency id"); these two would not even notice one.
  it('max and unique: the same event again changes nothing', () => {
    const highest = metrics.filter(({ aggregationType }) => aggregationType === 'max' || aggregationType === 'unique');
    fc.assert(
      fc.property(highest, fc.array(anyEvent, { maxLength: 30 }), fc.nat(), (metric, events, n) => {
        const again = events.filter((_, i) => (n >> (i % 30)) % 2 === 1);
        const value = (of: typeof events) => toPlain(aggregate(metric, of, SCOPE).value);
        expect(value([...again, ...events])).toBe(value(events));
      }),
    );
  });

  it('count and sum of the days add up to those of the month', () => {
    fc.assert(
      fc.property(
        metrics,
        fc.array(anyEvent, { maxLength: 30 }),
        fc.integer({ min: 0, max: 30 }),
        (metric, events, day) => {
          fc.pre(metric.aggregationType === 'count' || metric.aggregationType === 'sum');
          const cut = NOVEMBER.startsAt + day * 86_400_000;
          const part = (startsAt: number, endsAt: number) =>
            aggregate(metric, events, { ...SCOPE, intervals: [{ startsAt, endsAt }] }).value;
          const parts = part(NOVEMBER.startsAt, cut).plus(part(cut, NOVEMBER.endsAt));
          expect(toPlain(parts)).toBe(toPlain(aggregate(metric, events, SCOPE).value));
        },
      ),
    );
  });
});
