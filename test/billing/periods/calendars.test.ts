import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anchorOf, earliestStart, type PlanCalendar } from '../../../billing/periods/calendars.ts';
import { type Period, periodOf } from '../../../billing/periods/periods.ts';
import { inSegments, unpausedDays } from '../../../billing/periods/segments.ts';
import { decimal, sum } from '../../../core/decimal.ts';
import { addDays, daysBetween, startOfLocalDay } from '../../../core/instants.ts';
import { howMany } from '../../how-many.ts';
import { plan } from '../fixtures.ts';
import { type Sold, soldPlans } from './sold-plans.ts';

/** Periods of months (spec/periods#calendars). */

const DRAWS = { numRuns: howMany(2_000, 10_000), seed: 20_270_131 };

/** `count` periods, the first of them number `from`. */
function periodsOf({ startDate, timeZone, ...calendar }: Sold, count: number, from = 0): Period[] {
  const { billingPeriod, usagePeriod } = calendar;
  const terms = { startDate, billingPeriod, usagePeriod, anchorDate: anchorOf(calendar, startDate), timeZone };
  return Array.from({ length: count }, (_, i) => periodOf(terms, from + i));
}

const startsOf = (sold: Partial<Sold>, count: number) =>
  periodsOf(
    {
      billingPeriod: 'monthly',
      billingCalendar: 'anniversary',
      anchorDay: null,
      usagePeriod: 'billing_period',
      startDate: '2027-01-31',
      timeZone: 'UTC',
      ...sold,
    },
    count,
  ).map((period) => period.startDate);

describe('periods by anniversary', () => {
  it.each([
    ['monthly', '2027-01-31', ['2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30', '2027-05-31']],
    ['monthly', '2028-01-30', ['2028-01-30', '2028-02-29', '2028-03-30']],
    ['monthly', '2027-12-01', ['2027-12-01', '2028-01-01', '2028-02-01']],
    ['quarterly', '2027-11-30', ['2027-11-30', '2028-02-29', '2028-05-30', '2028-08-30']],
    ['annual', '2028-02-29', ['2028-02-29', '2029-02-28', '2030-02-28', '2031-02-28', '2032-02-29']],
  ] as const)('%s from %s', (billingPeriod, startDate, starts) => {
    expect(startsOf({ billingPeriod, startDate }, starts.length)).toEqual(starts);
  });
});

describe('periods by the calendar', () => {
  it.each([
    ['monthly', 1, '2027-01-20', ['2027-01-20', '2027-02-01', '2027-03-01']],
    ['monthly', 31, '2027-01-31', ['2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30']],
    ['monthly', 31, '2027-02-10', ['2027-02-10', '2027-02-28', '2027-03-31']],
    ['monthly', 15, '2027-01-15', ['2027-01-15', '2027-02-15']],
    ['quarterly', 1, '2027-02-10', ['2027-02-10', '2027-04-01', '2027-07-01', '2027-10-01', '2028-01-01']],
    ['annual', 1, '2027-03-01', ['2027-03-01', '2028-01-01', '2029-01-01']],
  ] as const)('%s on day %i from %s', (billingPeriod, anchorDay, startDate, starts) => {
    expect(startsOf({ billingPeriod, billingCalendar: 'calendar', anchorDay, startDate }, starts.length)).toEqual(
      starts,
    );
  });

  it('begins with a part of the whole period it lies in: 31 from 20 January is 12.00', () => {
    const calendar = { billingPeriod: 'monthly', billingCalendar: 'calendar', anchorDay: 1 } as const;
    const sold = { ...calendar, usagePeriod: 'billing_period', timeZone: 'UTC' } as const;
    const [first, second] = periodsOf({ ...sold, startDate: '2027-01-20' }, 2);
    expect([first?.days, second?.days]).toEqual([31, 28]);
    const segments = inSegments({ subscriptionId: 's', planId: 'p', version: 1 }, first as Period, () => plan());
    expect(unpausedDays(segments.segments)).toBe(12);
  });
});

it('a subscription starts one billing period in the past at most', () => {
  const earliest = (billingCalendar: PlanCalendar['billingCalendar'], billingPeriod: PlanCalendar['billingPeriod']) =>
    earliestStart(
      { billingCalendar, billingPeriod, anchorDay: billingCalendar === 'calendar' ? 1 : null },
      '2027-03-31',
    );
  expect(earliest('fixed_days', 'monthly')).toBe('2027-03-01');
  expect(earliest('anniversary', 'monthly')).toBe('2027-02-28');
  expect(earliest('calendar', 'annual')).toBe('2026-03-31');
});

const sold = soldPlans(['billing_period']);

/** Whether months begin a period on a date, found without the code under test: by the days that JavaScript's dates say a month has. */
function isBoundary({ billingPeriod, billingCalendar, anchorDay, startDate }: Sold, date: string): boolean {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  const [startYear = 0, startMonth = 0, startDay = 0] = startDate.split('-').map(Number);
  const anchor =
    billingCalendar === 'calendar'
      ? { year: 2000, month: 1, day: anchorDay ?? 1 }
      : { year: startYear, month: startMonth, day: startDay };
  const months = { monthly: 1, quarterly: 3, annual: 12 }[billingPeriod];
  const since = (year - anchor.year) * 12 + month - anchor.month;
  const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return since % months === 0 && day === Math.min(anchor.day, lastDay);
}

it('periods tile time without gap or overlap for 100 years in every zone, and parts of a fee by any split are its days', () => {
  const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 6 });
  fc.assert(
    fc.property(sold, fc.integer({ min: 0, max: 40 }), cuts, (one, k, split) => {
      const [period, next] = periodsOf(one, 2, k);
      if (!period || !next) throw new Error('no periods');
      expect(next.startsAt).toBe(period.endsAt);
      expect(next.startDate).toBe(period.endDate);
      expect(period.startsAt).toBe(startOfLocalDay(period.startDate, one.timeZone));
      if (one.billingCalendar !== 'fixed_days') expect(isBoundary(one, period.endDate)).toBe(true);

      const days = daysBetween(period.startDate, period.endDate);
      if (k > 0) expect(days).toBe(period.days);
      const bounds = [0, ...split.map((cut) => cut % (days + 1)), days].toSorted((a, b) => a - b);
      const parts = bounds.slice(1).map((to, i) =>
        decimal(31)
          .times(to - (bounds[i] ?? to))
          .div(period.days),
      );
      expect(sum(parts).minus(decimal(31).times(days).div(period.days)).abs().lt('1e-15')).toBe(true);
    }),
    DRAWS,
  );
});

it('have no beginning of a month of the anchor within them', () => {
  fc.assert(
    fc.property(sold, fc.integer({ min: 0, max: 40 }), (one, k) => {
      fc.pre(one.billingCalendar !== 'fixed_days');
      const { startDate, endDate } = periodsOf(one, 1, k)[0] as Period;
      const dates = Array.from({ length: daysBetween(startDate, endDate) - 1 }, (_, i) => addDays(startDate, i + 1));
      expect(dates.filter((date) => isBoundary(one, date))).toEqual([]);
    }),
    { ...DRAWS, numRuns: howMany(200, 500) },
  );
});

it('twelve monthly periods begin in a year, and the first of a calendar is as long as what it lies in', () => {
  fc.assert(
    fc.property(sold, (one) => {
      fc.pre(one.billingCalendar !== 'fixed_days' && one.billingPeriod === 'monthly');
      const periods = periodsOf(one, 25);
      const year = Number(one.startDate.slice(0, 4)) + 1;
      expect(periods.filter(({ startDate }) => Number(startDate.slice(0, 4)) === year)).toHaveLength(12);
      const first = periods[0] as Period;
      let whole = first.startDate;
      while (!isBoundary(one, whole)) whole = addDays(whole, -1);
      expect(first.days).toBe(daysBetween(whole, first.endDate));
    }),
    { ...DRAWS, numRuns: howMany(300, 1_000) },
  );
});
