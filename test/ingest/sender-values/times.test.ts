import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isoFromInstant } from '../../../core/instants.ts';
import { instantOfDateTime, instantOfUnixSeconds } from '../../../ingest/sender-values/times.ts';

const iso = (instant: number | null) => instant && isoFromInstant(instant);

test.each([
  ['2026-11-20T10:00:00', '2026-11-20T10:00:00.000Z'],
  ['2026-11-20T10:00:00.123456', '2026-11-20T10:00:00.123Z'],
  ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00.000Z'],
  ['2026-11-20T10:00:00.5+02:00', '2026-11-20T08:00:00.500Z'],
  ['2026-11-20T10:00:00.000001+00:00', '2026-11-20T10:00:00.000Z'],
])('the date-time %s is %s', (text, expected) => {
  expect(iso(instantOfDateTime(text))).toBe(expected);
});

test.each([[''], ['Z'], ['now'], ['2026-11-20'], ['2026-02-30T00:00:00'], ['2026-11-20T10:00:00ZZ'], ['1763632800']])(
  '%j is no date-time',
  (text) => {
    expect(instantOfDateTime(text)).toBeNull();
  },
);

test.each([
  ['1763632800', '2025-11-20T10:00:00.000Z'],
  ['1763632800.5', '2025-11-20T10:00:00.500Z'],
  ['1763632800.1234567', '2025-11-20T10:00:00.123Z'],
  ['1763632800.9999999', '2025-11-20T10:00:00.999Z'],
  ['1.7636328e9', '2025-11-20T10:00:00.000Z'],
  ['0', '1970-01-01T00:00:00.000Z'],
])('%s seconds are %s', (text, expected) => {
  expect(isoFromInstant(instantOfUnixSeconds(text) ?? Number.NaN)).toBe(expected);
});

test.each([[''], ['-1'], ['1763632800000'], ['1e400'], ['1763632800 '], ['0x10'], ['NaN']])(
  '%j are no seconds',
  (text) => {
    expect(instantOfUnixSeconds(text)).toBeNull();
  },
);

test('seconds with fractions are cut off after the millisecond, never rounded by a float', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 253_402_300_799 }),
      fc.integer({ min: 0, max: 999_999_999 }),
      (seconds, nanos) => {
        const fraction = String(nanos).padStart(9, '0');
        expect(instantOfUnixSeconds(`${seconds}.${fraction}`)).toBe(seconds * 1_000 + Number(fraction.slice(0, 3)));
      },
    ),
  );
});
