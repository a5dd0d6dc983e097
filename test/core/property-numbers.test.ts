import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toPlain } from '../../core/decimal.ts';
import { parseExactNumber, parseRoundedNumber } from '../../core/property-numbers.ts';

function plain(text: string): string | null {
  const number = parseExactNumber(text);
  return number && toPlain(number);
}

describe('parseExactNumber', () => {
  // "Numbers are exact up to 20 integer digits and 18 decimals" (spec/events#fields)
  it.each([
    ['0', '0'],
    ['-0', '0'],
    ['-0.0e5', '0'],
    ['123456789012345', '123456789012345'],
    ['-1234567890123456', '-1234567890123456'],
    ['99999999999999999999', '99999999999999999999'],
    ['0.123456789012345678', '0.123456789012345678'],
    ['-99999999999999999999.999999999999999999', '-99999999999999999999.999999999999999999'],
    ['1e19', '10000000000000000000'],
    ['1E+2', '100'],
    ['1e-18', '0.000000000000000001'],
    ['10e-19', '0.000000000000000001'],
    ['0.00000000000000000000001e23', '1'],
    ['1.5000000000000000000000000000', '1.5'],
    ['0e999999999999999999999999', '0'],
  ])('%s is exactly %s', (text, expected) => {
    expect(plain(text)).toBe(expected);
  });

  it.each([
    ['100000000000000000000'],
    ['1e20'],
    ['1e-19'],
    ['0.1234567890123456789'],
    ['1e400'],
    ['1e999999999'],
    ['-1e-999999999'],
    [`1e${'9'.repeat(4000)}`],
    ['9'.repeat(4096)],
  ])('%s is beyond the limits', (text) => {
    expect(plain(text)).toBeNull();
  });

  // "A numeric string is exactly a JSON number." (spec/events#property-values)
  it.each([
    [''],
    [' 1'],
    ['1 '],
    ['+1'],
    ['01'],
    ['.5'],
    ['5.'],
    ['1e'],
    ['0x10'],
    ['NaN'],
    ['Infinity'],
    ['1_000'],
    ['1\n'],
  ])('%j is not a JSON number', (text) => {
    expect(plain(text)).toBeNull();
  });

  it('moves the point by the exponent as one would by hand', () => {
    const digits = fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n });
    fc.assert(
      fc.property(digits, fc.integer({ min: -18, max: 2 }), (whole, exponent) => {
        const scaled = whole * 10n ** BigInt(exponent + 18);
        const sign = scaled < 0n ? '-' : '';
        const text = (scaled < 0n ? -scaled : scaled).toString().padStart(19, '0');
        const byHand = `${sign}${text.slice(0, -18)}.${text.slice(-18)}`.replace(/\.?0+$/, '');
        expect(plain(`${whole}e${exponent}`)).toBe(byHand);
      }),
    );
  });
});

// "more than 18 decimals are rounded to 18, half away from zero" (spec/senders#values)
describe('parseRoundedNumber', () => {
  const rounded = (text: string) => {
    const number = parseRoundedNumber(text);
    return number && toPlain(number);
  };

  it.each([
    ['0.00022500000000000002', '0.000225'],
    ['0.0000000000000000005', '0.000000000000000001'],
    ['-0.0000000000000000005', '-0.000000000000000001'],
    ['0.00000000000000000049999999999999999999', '0'],
    ['-4e-19', '0'],
    ['1.0000000000000000015', '1.000000000000000002'],
    ['1e-999999999', '0'],
    [`1e-${'9'.repeat(4000)}`, '0'],
    ['0.1234567890123456784', '0.123456789012345678'],
    ['99999999999999999999.9999999999999999994', '99999999999999999999.999999999999999999'],
    ['12', '12'],
    ['-0', '0'],
  ])('%s counts as %s', (text, expected) => {
    expect(rounded(text)).toBe(expected);
  });

  it.each([
    ['99999999999999999999.9999999999999999995'],
    ['1e20'],
    ['1e999999999'],
    [`1e${'9'.repeat(4000)}`],
    ['+1'],
    ['01'],
    ['x'],
    [''],
  ])('%s is none', (text) => {
    expect(rounded(text)).toBeNull();
  });

  it('rounds as whole numbers do, whose last digits are dropped', () => {
    const whole = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n });
    fc.assert(
      fc.property(whole, fc.integer({ min: -58, max: -19 }), (digits, exponent) => {
        // In units of 10^-18: divided by a power of ten, half of which is added away from zero first.
        const divisor = 10n ** BigInt(-18 - exponent);
        const size = digits < 0n ? -digits : digits;
        const units = (size + divisor / 2n) / divisor;
        const text = units.toString().padStart(19, '0');
        const byHand = `${digits < 0n && units > 0n ? '-' : ''}${text.slice(0, -18)}.${text.slice(-18)}`;
        expect(rounded(`${digits}e${exponent}`)).toBe(units < 10n ** 38n ? byHand.replace(/\.?0+$/, '') : null);
      }),
    );
  });

  it('leaves what is exact as it is', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n }), (digits) => {
        expect(rounded(`${digits}e-18`)).toBe(plain(`${digits}e-18`));
      }),
    );
  });
});
