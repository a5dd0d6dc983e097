import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addBusinessDays, isBusinessDay } from '../../core/business-days.ts';
import { addDays, daysBetween } from '../../core/calendar.ts';

// 2026-11-20 is a Friday.
describe('business days', () => {
  it('are Monday to Friday', () => {
    const week = Array.from({ length: 7 }, (_, i) => isBusinessDay(addDays('2026-11-16', i)));
    expect(week).toEqual([true, true, true, true, true, false, false]);
    expect(isBusinessDay('1969-12-31')).toBe(true);
    expect(isBusinessDay('1969-12-28')).toBe(false);
  });

  // "expected_by (original_payment 10 business days, bank_transfer 3)" (spec/credits#credits)
  it.each([
    ['2026-11-16', 3, '2026-11-19'],
    ['2026-11-18', 3, '2026-11-23'],
    ['2026-11-20', 3, '2026-11-25'],
    ['2026-11-21', 3, '2026-11-25'],
    ['2026-11-22', 3, '2026-11-25'],
    ['2026-11-20', 10, '2026-12-04'],
    ['2026-11-21', 10, '2026-12-04'],
    ['2026-12-24', 10, '2027-01-07'],
    ['2028-02-28', 3, '2028-03-02'],
    ['2026-11-20', 0, '2026-11-20'],
  ])('from %s, %i later: %s', (date, n, expected) => {
    expect(addBusinessDays(date, n)).toBe(expected);
  });

  it('one after n is n + 1, lands on a business day, and never sooner than as many calendar days', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40_000 }), fc.integer({ min: 1, max: 30 }), (day, n) => {
        const date = addDays('1970-01-01', day);
        const due = addBusinessDays(date, n);
        expect(isBusinessDay(due)).toBe(true);
        expect(daysBetween(date, due)).toBeGreaterThanOrEqual(n);
        expect(addBusinessDays(due, 1)).toBe(addBusinessDays(date, n + 1));
      }),
    );
  });
});
