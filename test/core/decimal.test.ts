import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimal, isDecimal, roundHalfAwayFromZero, sum, toPlain } from '../../core/decimal.ts';

describe('decimal', () => {
  it.each([
    ['1e-7', '0.0000001'],
    ['1.500', '1.5'],
    ['-0.00', '0'],
    ['99999999999999999999.123456789012345678', '99999999999999999999.123456789012345678'],
    ['1e30', '1000000000000000000000000000000'],
  ])('reads %s and writes it as %s, without exponent or trailing zeros', (text, plain) => {
    expect(toPlain(decimal(text))).toBe(plain);
  });

  it.each([['NaN'], ['Infinity'], ['0x10'], [''], [' 1'], ['1,5'], [0.1], [2 ** 53], [Number.NaN]])(
    'refuses %j, which is no exact decimal',
    (input) => {
      expect(() => decimal(input)).toThrow('decimal');
    },
  );

  it('shows no exponent where a number is put into a text', () => {
    expect(`${decimal('1e-7')} ${decimal('1e30')}`).toBe('0.0000001 1000000000000000000000000000000');
  });

  it('is never a float: 0.1 + 0.2 is 0.3', () => {
    expect(toPlain(sum([decimal('0.1'), decimal('0.2')]))).toBe('0.3');
  });

  it('adds as BigInt does, whatever the size', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: -(10n ** 38n), max: 10n ** 38n })), (units) => {
        const shifted = units.map((unit) => decimal(unit.toString()).shiftedBy(-18));
        const expected = units.reduce((total, unit) => total + unit, 0n);
        expect(toPlain(sum(shifted).shiftedBy(18))).toBe(expected.toString());
      }),
    );
  });

  it('tells decimals from what merely looks like one', () => {
    expect([decimal(1), 1, '1', null, {}].map(isDecimal)).toEqual([true, false, false, false, false]);
  });
});

describe('roundHalfAwayFromZero', () => {
  // "Rounding is half away from zero: 5.5 -> 6, 2.5 -> 3" (spec/rating#rounding)
  it.each([
    ['5.5', 0, '6'],
    ['2.5', 0, '3'],
    ['-2.5', 0, '-3'],
    ['2.4999999999999999999', 0, '2'],
    ['-0.004', 2, '0'],
    ['1.005', 2, '1.01'],
    ['-1.005', 2, '-1.01'],
    ['1.2345', 3, '1.235'],
  ])('%s to %i decimals is %s', (text, places, expected) => {
    expect(toPlain(roundHalfAwayFromZero(decimal(text), places))).toBe(expected);
  });
});
