import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bucketsOf, zoneStretches } from '../../../billing/metering/buckets.ts';
import { isoFromInstant, wallClockAt } from '../../../core/instants.ts';
import { howMany } from '../../how-many.ts';
import { at } from '../fixtures.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'Africa/Cairo',
  'Pacific/Apia',
  'Australia/Lord_Howe',
  'America/Havana',
  'Asia/Kathmandu',
];

const hoursOf = (granularity: 'day' | 'hour', start: string, end: string, timeZone: string) =>
  bucketsOf(granularity, at(start), at(end), timeZone).map(({ startsAt, endsAt }) => (endsAt - startsAt) / HOUR);

describe('days', () => {
  test('first and last are clipped, total is one bucket', () => {
    const [start, end] = [at('2026-11-20T10:00:00Z'), at('2026-11-22T01:00:00Z')];
    expect(bucketsOf('day', start, end, 'UTC').map(({ startsAt }) => isoFromInstant(startsAt))).toEqual([
      '2026-11-20T10:00:00.000Z',
      '2026-11-21T00:00:00.000Z',
      '2026-11-22T00:00:00.000Z',
    ]);
    expect(bucketsOf('day', start, end, 'UTC').at(-1)?.endsAt).toBe(end);
    expect(bucketsOf('total', start, end, 'UTC')).toEqual([{ startsAt: start, endsAt: end }]);
  });

  test('an end on a boundary makes no empty bucket; nothing is in an empty interval', () => {
    expect(hoursOf('day', '2026-11-20T00:00:00Z', '2026-11-22T00:00:00Z', 'UTC')).toEqual([24, 24]);
    expect(bucketsOf('day', 5, 5, 'UTC')).toEqual([]);
    expect(bucketsOf('total', 5, 5, 'UTC')).toEqual([]);
    expect(bucketsOf('hour', 6, 5, 'UTC')).toEqual([]);
  });

  test('of 23 and 25 hours', () => {
    expect(hoursOf('day', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z', 'Europe/Berlin')).toEqual([23]);
    expect(hoursOf('day', '2026-10-23T22:00:00Z', '2026-10-26T23:00:00Z', 'Europe/Berlin')).toEqual([24, 25, 24]);
  });

  test('a day whose midnight does not exist starts where the clock goes on', () => {
    // Cairo, Friday 2026-04-24: the clock goes from 00:00 to 01:00.
    expect(hoursOf('day', '2026-04-22T22:00:00Z', '2026-04-25T21:00:00Z', 'Africa/Cairo')).toEqual([24, 23, 24]);
  });

  test('a day that was skipped altogether has no bucket', () => {
    // Apia went from 2011-12-29 to 2011-12-31.
    expect(hoursOf('day', '2011-12-29T10:00:00Z', '2012-01-01T10:00:00Z', 'Pacific/Apia')).toEqual([24, 24, 24]);
  });
});

describe('hours', () => {
  test('one hour is missing, one is there twice', () => {
    expect(hoursOf('hour', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z', 'Europe/Berlin')).toEqual(Array(23).fill(1));
    expect(hoursOf('hour', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z', 'Europe/Berlin')).toEqual(Array(25).fill(1));
  });

  test('begin at local full hours; a clock moved by half an hour begins one too', () => {
    expect(hoursOf('hour', '2026-11-20T00:00:00Z', '2026-11-20T02:00:00Z', 'Asia/Kathmandu')).toEqual([0.25, 1, 0.75]);
    // Lord Howe: 02:00 becomes 02:30 on 2026-10-04, and 02:00 becomes 01:30 on 2026-04-05.
    expect(hoursOf('hour', '2026-10-03T14:30:00Z', '2026-10-03T17:00:00Z', 'Australia/Lord_Howe')).toEqual([1, 0.5, 1]);
    expect(hoursOf('hour', '2026-04-04T14:00:00Z', '2026-04-04T16:30:00Z', 'Australia/Lord_Howe')).toEqual([1, 0.5, 1]);
  });
});

const interval = fc
  .record({
    timeZone: fc.constantFrom(...ZONES),
    start: fc.integer({ min: at('2000-01-01T00:00:00Z'), max: at('2027-01-01T00:00:00Z') }),
    length: fc.integer({ min: 1, max: 10 * DAY }),
  })
  .map(({ timeZone, start, length }) => ({ timeZone, start, end: start + length }));

test('buckets fill the interval without gap, and one shows one date or one hour only', () => {
  fc.assert(
    fc.property(interval, fc.constantFrom('day' as const, 'hour' as const), ({ timeZone, start, end }, granularity) => {
      const buckets = bucketsOf(granularity, start, end, timeZone);
      expect(buckets[0]?.startsAt).toBe(start);
      expect(buckets.at(-1)?.endsAt).toBe(end);
      buckets.forEach(({ startsAt, endsAt }, i) => {
        expect(endsAt).toBeGreaterThan(startsAt);
        expect(buckets[i + 1]?.startsAt ?? end).toBe(endsAt);
        const [first, last] = [wallClockAt(startsAt, timeZone), wallClockAt(endsAt - 1, timeZone)];
        expect(last.date).toBe(first.date);
        if (granularity === 'hour') expect(last.hour).toBe(first.hour);
      });
    }),
    { numRuns: howMany(80, 200) },
  );
});

test('the stretches of a zone give the time on the wall', () => {
  fc.assert(
    fc.property(interval, fc.nat(), ({ timeZone, start, end }, n) => {
      const instant = start + (n % (end - start));
      const stretch = zoneStretches(start, end, timeZone).findLast(({ startsAt }) => startsAt <= instant);
      const wall = wallClockAt(instant, timeZone);
      const local = isoFromInstant(instant + (stretch?.offset ?? Number.NaN));
      expect(local.slice(0, 13)).toBe(`${wall.date}T${String(wall.hour).padStart(2, '0')}`);
    }),
    { numRuns: 200 },
  );
});
