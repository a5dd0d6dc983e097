import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anchorOf, BILLING_CALENDARS, PERIOD_DAYS } from '../../../billing/periods/calendars.ts';
import { dateIn, type PeriodTerms, periodAfter, periodIndexOn, periodOf } from '../../../billing/periods/periods.ts';
import { addDays, daysBetween, isoFromInstant, localDateAt } from '../../../core/instants.ts';
import { at } from '../fixtures.ts';

const ZONES = [
  'UTC',
  'Africa/Cairo',
  'Asia/Beirut',
  'Pacific/Apia',
  'America/Havana',
  'America/New_York',
  'America/Santiago',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Europe/Paris',
];

const terms: fc.Arbitrary<PeriodTerms> = fc
  .record({
    startDate: fc.integer({ min: 0, max: 12_000 }).map((n) => addDays('2008-01-01', n)),
    billingPeriod: fc.constantFrom('monthly', 'quarterly', 'annual'),
    billingCalendar: fc.constantFrom(...BILLING_CALENDARS),
    anchorDay: fc.integer({ min: 1, max: 31 }),
    timeZone: fc.constantFrom(...ZONES),
  })
  .map(({ startDate, billingPeriod, timeZone, ...calendar }) => {
    const anchorDate = anchorOf({ billingPeriod, ...calendar }, startDate);
    return { startDate, billingPeriod, usagePeriod: 'billing_period', anchorDate, timeZone };
  });

/** The calendar date by ICU, which shares no code with the library under the periods. */
function dateByIcu(instant: number, timeZone: string): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(instant);
}

describe('periodOf', () => {
  it.each([
    // "period k starts at local midnight of start_date + k * n calendar days" (spec/periods#periods)
    ['2026-01-31', 'monthly', 'UTC', 0, '2026-01-31T00:00:00.000Z', '2026-03-02T00:00:00.000Z'],
    ['2026-01-31', 'monthly', 'UTC', 1, '2026-03-02T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
    ['2024-01-01', 'annual', 'UTC', 0, '2024-01-01T00:00:00.000Z', '2024-12-31T00:00:00.000Z'],
    ['2026-01-01', 'quarterly', 'UTC', 1, '2026-04-01T00:00:00.000Z', '2026-06-30T00:00:00.000Z'],
    // over the start of summer time the period is an hour shorter, and still 30 days
    ['2026-03-01', 'monthly', 'America/New_York', 0, '2026-03-01T05:00:00.000Z', '2026-03-31T04:00:00.000Z'],
    // "where midnight does not exist, the first instant of that day"
    ['2026-03-25', 'monthly', 'Africa/Cairo', 1, '2026-04-23T22:00:00.000Z', '2026-05-23T21:00:00.000Z'],
    ['2026-02-27', 'monthly', 'Asia/Beirut', 1, '2026-03-28T22:00:00.000Z', '2026-04-27T21:00:00.000Z'],
    // the day that Apia skipped: its period begins where the next day does
    ['2011-11-30', 'monthly', 'Pacific/Apia', 1, '2011-12-30T10:00:00.000Z', '2012-01-28T10:00:00.000Z'],
  ] as const)('%s %s in %s, period %i: %s to %s', (startDate, billingPeriod, timeZone, k, startsAt, endsAt) => {
    const period = periodOf({ startDate, billingPeriod, usagePeriod: 'billing_period', anchorDate: null, timeZone }, k);
    expect([isoFromInstant(period.startsAt), isoFromInstant(period.endsAt)]).toEqual([startsAt, endsAt]);
    expect(period.days).toBe(PERIOD_DAYS[billingPeriod]);
  });

  it('has periods that follow on one another without gap or overlap, for every zone', () => {
    fc.assert(
      fc.property(terms, fc.integer({ min: 0, max: 60 }), (of, k) => {
        const [period, next] = [periodOf(of, k), periodOf(of, k + 1)];
        expect(next.startsAt).toBe(period.endsAt);
        expect(next.startDate).toBe(period.endDate);
        expect(period.startsAt).toBeLessThan(period.endsAt);
        const days = daysBetween(period.startDate, period.endDate);
        if (k > 0 || of.anchorDate === null) expect(days).toBe(period.days);
        else expect(days).toBeLessThanOrEqual(period.days);
        if (of.anchorDate === null) expect(daysBetween(of.startDate, period.startDate)).toBe(k * period.days);
        expect(periodAfter(of, period)).toEqual(next);
      }),
    );
  });

  it('starts at the first instant of its day', () => {
    const skipped = '2011-12-30';
    fc.assert(
      fc.property(terms, fc.integer({ min: 0, max: 60 }), (of, k) => {
        const { startDate, startsAt } = periodOf(of, k);
        const expected = of.timeZone === 'Pacific/Apia' && startDate === skipped ? addDays(skipped, 1) : startDate;
        expect(dateByIcu(startsAt, of.timeZone)).toBe(expected);
        expect(dateByIcu(startsAt - 1, of.timeZone) < expected).toBe(true);
      }),
    );
  });

  it('is half-open: its first instant is its own, its end is the next one’s', () => {
    fc.assert(
      fc.property(terms, fc.integer({ min: 0, max: 60 }), (of, k) => {
        fc.pre(of.timeZone !== 'Pacific/Apia');
        const { startsAt, endsAt } = periodOf(of, k);
        const indexAt = (instant: number) => periodIndexOn(of, localDateAt(instant, of.timeZone));
        expect([startsAt - 1, startsAt, endsAt - 1, endsAt].map(indexAt)).toEqual([k - 1, k, k, k + 1]);
      }),
    );
  });

  it('refuses a period that does not exist', () => {
    const of: PeriodTerms = {
      startDate: '2026-01-01',
      billingPeriod: 'monthly',
      usagePeriod: 'billing_period',
      anchorDate: null,
      timeZone: 'UTC',
    };
    expect(() => periodOf(of, -1)).toThrow('does not exist');
    expect(() => periodOf(of, 0.5)).toThrow('does not exist');
  });
});

describe('periodAfter', () => {
  // "Stored as instants once computed; a later change of zone affects periods not yet started." (spec/periods#periods)
  it('starts where the stored one ended and ends by the zone of now', () => {
    const before: PeriodTerms = {
      startDate: '2026-01-01',
      billingPeriod: 'monthly',
      usagePeriod: 'billing_period',
      anchorDate: null,
      timeZone: 'UTC',
    };
    const next = periodAfter({ ...before, timeZone: 'America/New_York' }, periodOf(before, 0));
    expect(isoFromInstant(next.startsAt)).toBe('2026-01-31T00:00:00.000Z');
    expect(isoFromInstant(next.endsAt)).toBe('2026-03-02T05:00:00.000Z');
    expect(next.days).toBe(30);
  });
});

/** spec/customers#time-zone */
describe('the date of an instant within a period', () => {
  const terms = {
    startDate: '2026-03-01',
    billingPeriod: 'monthly',
    usagePeriod: 'billing_period',
    anchorDate: null,
  } as const;
  const auckland = periodOf({ ...terms, timeZone: 'Pacific/Auckland' }, 0);
  const next = periodAfter({ ...terms, timeZone: 'UTC' }, auckland);

  it.each([
    ['2026-02-28T11:00:00Z', '2026-03-01'],
    ['2026-03-10T10:59:59Z', '2026-03-10'],
    ['2026-03-10T11:00:00Z', '2026-03-11'],
    ['2026-03-30T10:59:59Z', '2026-03-30'],
    ['2026-03-30T11:00:00Z', '2026-03-31'],
    ['2026-04-02T00:00:00Z', '2026-04-02'],
  ])('%s is of the zone that it began with: %s', (instant, date) => {
    expect(dateIn(auckland, at(instant))).toBe(date);
  });

  it('is never before the first day, where the period before was of another zone', () => {
    expect([next.startsAt, next.endsAt]).toEqual([at('2026-03-30T11:00:00Z'), at('2026-04-30T00:00:00Z')]);
    expect(dateIn(next, at('2026-03-30T12:00:00Z'))).toBe('2026-03-31');
    expect(dateIn(next, at('2026-04-01T12:00:00Z'))).toBe('2026-04-01');
  });

  it('is not after the end while the period runs, also where an earlier release has not kept its zone', () => {
    const kept = { ...auckland, timeZone: 'Pacific/Kiritimati' };
    expect(dateIn(kept, at('2026-03-30T10:59:59Z'))).toBe('2026-03-31');
    expect(dateIn({ ...auckland, endDate: '2026-03-30' }, at('2026-03-30T10:59:59Z'))).toBe('2026-03-30');
  });
});
