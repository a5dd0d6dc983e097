import { describe, expect, test } from 'vitest';
import { instantOfMoment, isBackwards, momentInput } from '../../wire/moments.ts';

const parse = (text: string) => momentInput.safeParse(text).data;

describe('start and end of questions (spec/metrics#usage)', () => {
  test('a date is local midnight, or the first instant after it where midnight does not exist', () => {
    expect(instantOfMoment({ date: '2026-11-20' }, 'UTC')).toBe(Date.UTC(2026, 10, 20));
    expect(instantOfMoment({ date: '2026-11-20' }, 'America/New_York')).toBe(Date.UTC(2026, 10, 20, 5));
    expect(instantOfMoment({ date: '2018-11-04' }, 'America/Sao_Paulo')).toBe(Date.UTC(2018, 10, 4, 3));
  });

  test('a date-time is itself, whatever the zone', () => {
    const moment = parse('2026-11-20T10:00:00+02:00');
    expect(moment).toEqual({ instant: Date.UTC(2026, 10, 20, 8) });
    expect(moment && instantOfMoment(moment, 'Asia/Tokyo')).toBe(Date.UTC(2026, 10, 20, 8));
  });

  test.each(['2026-11-20T10:00:00 02:00', '2026-11-20T10:00:00 0200'])('%j: a + that was not encoded', (text) => {
    expect(parse(text)).toEqual({ instant: Date.UTC(2026, 10, 20, 8) });
  });

  test.each([
    '',
    'today',
    '2026-02-30',
    '2026-11-20T10:00:00',
    '1969-12-31',
    '2300-01-02',
    '9999-12-31T23:00:00-23:00',
    '20261120',
  ])('%j is refused', (text) => {
    expect(momentInput.safeParse(text).success).toBe(false);
  });

  test('the wrong way round is told where no zone is needed', () => {
    expect(isBackwards({ date: '2026-11-20' }, { date: '2026-11-20' })).toBe(true);
    expect(isBackwards({ date: '2026-11-20' }, { date: '2026-11-21' })).toBe(false);
    expect(isBackwards({ instant: 2 }, { instant: 1 })).toBe(true);
    expect(isBackwards({ date: '2026-11-20' }, { instant: 1 })).toBe(false);
  });
});
