import { expect, test } from 'vitest';
import { decimal } from '../../core/decimal.ts';
import { plainFromJson, plainToJson } from '../../core/plain-json.ts';

test('plain data is the same after JSON and back', () => {
  const data = {
    amount: decimal('12345678901234567890.123456789012345678'),
    noTax: decimal('-0'),
    tiny: decimal('0.000000000000000000000000000001'),
    position: 9_223_372_036_854_775_807n,
    texts: ['', '#', '##', '#1.5', '#7n', 'x#', '{invoice:new:1}'],
    nothing: null,
    flags: [true, false],
    numbers: [0, -1, 1_764_547_200_000, 0.5],
    nested: [{ list: [[], {}], ['__proto__']: 'a name that a caller chose' }],
  };
  expect(plainFromJson(plainToJson(data))).toEqual(data);
});

test('a member that is undefined is left out', () => {
  expect(plainToJson({ there: 1, missing: undefined })).toBe('{"there":1}');
});

test.each([
  [() => 1],
  [Symbol('s')],
  [Number.NaN],
  [Number.POSITIVE_INFINITY],
  [new Date(0)],
  [new Map()],
  [[undefined]],
])('what is no plain data is refused: %s', (value) => {
  expect(() => plainToJson({ value })).toThrow('plain data has no');
});
