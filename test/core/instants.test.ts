import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addDays,
  daysBetween,
  instantFromIso,
  isLocalDate,
  isoFromInstant,
  isTimeZone,
  localDateAt,
  startOfLocalDay,
  wallClockAt,
} from '../../core/instants.ts';
import { at } from '../billing/fixtures.ts';

const instants = fc.integer({ min: Date.UTC(1970, 0, 1), max: Date.UTC(2199, 11, 31) });

describe('instantFromIso', () => {
  // "on input an explicit offset is accepted and converted" (spec/api#dates); "finer than a millisecond is truncated" (4)
  it.each([
    ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00.000Z'],
    ['2026-11-20T10:00:00.1239999Z', '2026-11-20T10:00:00.123Z'],
    ['2026-11-20T10:00:00.9999999999Z', '2026-11-20T10:00:00.999Z'],
    ['2026-11-20T10:00:00.5Z', '2026-11-20T10:00:00.500Z'],
    ['2026-11-20T10:00:00+05:30', '2026-11-20T04:30:00.000Z'],
    ['2026-11-20T23:30:00-0200', '2026-11-21T01:30:00.000Z'],
    ['2026-11-20T10:00+02', '2026-11-20T08:00:00.000Z'],
    ['2024-02-29T00:00:00z', '2024-02-29T00:00:00.000Z'],
    ['1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z'],
  ])('%s is %s', (text, expected) => {
    expect(isoFromInstant(at(text))).toBe(expected);
  });

  it.each([
    ['2026-11-20T10:00:00', 'no zone'],
    ['2026-11-20', 'no time'],
    ['2026-02-30T00:00:00Z', 'no such day'],
    ['2025-02-29T00:00:00Z', 'not a leap year'],
    ['1900-02-29T00:00:00Z', 'not a leap year'],
    ['2026-13-01T00:00:00Z', 'no such month'],
    ['2026-00-10T00:00:00Z', 'no such month'],
    ['2026-01-00T00:00:00Z', 'no such day'],
    ['2026-11-20T24:00:00Z', 'hour 24'],
    ['2026-11-20T10:60:00Z', 'minute 60'],
    ['2026-11-20T10:00:60Z', 'second 60'],
    ['2026-11-20T10:00:00+24:00', 'no such offset'],
    ['2026-11-20 10:00:00Z', 'no T'],
    ['1795168800', 'a number'],
    ['2026-11-20T10:00:00Z\n', 'a line end'],
    [' 2026-11-20T10:00:00Z', 'a blank'],
    ['', 'empty'],
  ])('%j is refused: %s', (text) => {
    expect(instantFromIso(text)).toBeNull();
  });

  it('reads back what it writes, and agrees with the platform', () => {
    fc.assert(
      fc.property(instants, (instant) => {
        const text = isoFromInstant(instant);
        expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        expect(instantFromIso(text)).toBe(instant);
        expect(instantFromIso(text.replace('Z', '-03:30'))).toBe(Date.parse(text.replace('Z', '-03:30')));
      }),
    );
  });
});

describe('local dates', () => {
  it.each([
    ['2026-11-20', true],
    ['2024-02-29', true],
    ['2000-02-29', true],
    ['2100-02-29', false],
    ['2026-04-31', false],
    ['2026-4-30', false],
    ['2026-11-20T00:00:00Z', false],
    ['20261120', false],
  ])('isLocalDate(%s) is %s', (text, expected) => {
    expect(isLocalDate(text)).toBe(expected);
  });

  it.each([
    ['2024-02-28', 1, '2024-02-29'],
    ['2023-02-28', 1, '2023-03-01'],
    ['2026-01-31', 30, '2026-03-02'],
    ['2026-01-01', -1, '2025-12-31'],
    ['2024-01-01', 366, '2025-01-01'],
  ])('%s plus %i days is %s', (date, days, expected) => {
    expect(addDays(date, days)).toBe(expected);
    expect(daysBetween(date, expected)).toBe(days);
  });

  it('counts the days it added, as UTC does', () => {
    fc.assert(
      fc.property(instants, fc.integer({ min: -50_000, max: 50_000 }), (instant, days) => {
        const date = isoFromInstant(instant).slice(0, 10);
        expect(addDays(date, days)).toBe(isoFromInstant(Date.parse(date) + days * 86_400_000).slice(0, 10));
        expect(daysBetween(date, addDays(date, days))).toBe(days);
      }),
    );
  });

  it('refuses what is no date, and days that are not whole', () => {
    expect(() => addDays('2026-02-30', 1)).toThrow('not a date');
    expect(() => addDays('2026-02-01', 0.5)).toThrow('whole');
    expect(() => addDays('9999-12-31', 1)).toThrow('outside');
  });
});

describe('time zones', () => {
  // "where midnight does not exist, the first instant of that day" (spec/periods#periods)
  it.each([
    ['2026-11-20', 'UTC', '2026-11-20T00:00:00.000Z'],
    ['2026-11-20', 'America/New_York', '2026-11-20T05:00:00.000Z'],
    ['2026-04-24', 'Africa/Cairo', '2026-04-23T22:00:00.000Z'],
    ['2026-03-29', 'Asia/Beirut', '2026-03-28T22:00:00.000Z'],
    ['2026-11-01', 'America/Havana', '2026-11-01T04:00:00.000Z'],
    ['2011-12-31', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
  ])('%s begins in %s at %s', (date, zone, expected) => {
    const start = startOfLocalDay(date, zone);
    expect(isoFromInstant(start)).toBe(expected);
    expect(localDateAt(start, zone)).toBe(date);
    expect(localDateAt(start - 1, zone) < date).toBe(true);
  });

  it('shows Cairo one o’clock at the start of a day without midnight', () => {
    expect(wallClockAt(at('2026-04-23T22:00:00Z'), 'Africa/Cairo')).toEqual({
      date: '2026-04-24',
      dayOfWeek: 5,
      hour: 1,
    });
  });

  it('lets the day that Apia skipped begin with the next one', () => {
    expect(startOfLocalDay('2011-12-30', 'Pacific/Apia')).toBe(startOfLocalDay('2011-12-31', 'Pacific/Apia'));
  });

  it.each([
    ['Europe/Paris', true],
    ['UTC', true],
    ['Asia/Calcutta', true],
    ['Asia/Kolkata', true],
    ['America/Argentina/Buenos_Aires', true],
    ['europe/paris', false],
    ['+05:00', false],
    ['Mars/Olympus', false],
    ['', false],
  ])('isTimeZone(%j) is %s', (text, expected) => {
    expect(isTimeZone(text)).toBe(expected);
  });
});
