import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { parseExactJson } from '../../runtime/exact-json.ts';
import {
  callerIdInput,
  currencyCodeInput,
  dateInput,
  decimalInput,
  instantInput,
  integerInput,
  metadataInput,
  nonNegativeInput,
  unitPriceInput,
} from '../../wire/primitives.ts';

/** Reads JSON text as a request body is read, then by the schema. */
function read<T extends z.ZodType>(schema: T, json: string): z.output<T> | undefined {
  return schema.safeParse(parseExactJson(json)).data;
}

describe('numbers (spec/api#errors)', () => {
  test.each([
    ['29', '29'],
    ['"29.00"', '29'],
    ['0.1', '0.1'],
    ['"-1.5e3"', '-1500'],
    ['12345678901234567890.123456789012345678', '12345678901234567890.123456789012345678'],
  ])('%s is %s', (json, digits) => {
    expect(read(decimalInput, json)?.toFixed()).toBe(digits);
  });

  test.each(['true', 'null', '[]', '{}', '""', '" 1"', '"0x10"', '"1,000"', '"NaN"', '1e21', '1e-19', '"01"', '"+1"'])(
    '%s is refused',
    (json) => {
      expect(decimalInput.safeParse(parseExactJson(json)).success).toBe(false);
    },
  );

  test('minus zero is not negative, and is written as 0', () => {
    expect(read(nonNegativeInput, '-0')?.isZero()).toBe(true);
    expect(read(nonNegativeInput, '-0.1')).toBeUndefined();
  });

  test('a unit price has up to 12 decimals', () => {
    expect(read(unitPriceInput, '0.000000000001')?.toFixed()).toBe('0.000000000001');
    expect(read(unitPriceInput, '0.0000000000010')?.toFixed()).toBe('0.000000000001');
    expect(read(unitPriceInput, '0.0000000000001')).toBeUndefined();
  });

  test('integers within bounds, as numbers', () => {
    const schema = integerInput(1, 30);
    expect([read(schema, '30'), read(schema, '"7"'), read(schema, '1.0')]).toEqual([30, 7, 1]);
    expect([read(schema, '0'), read(schema, '31'), read(schema, '1.5')]).toEqual([undefined, undefined, undefined]);
  });
});

describe('times', () => {
  test('dates exist and have exactly one form', () => {
    expect(read(dateInput, '"2028-02-29"')).toBe('2028-02-29');
    for (const bad of ['"2026-02-29"', '"2026-1-1"', '"2026-01-01T00:00:00Z"', '20260101'])
      expect(read(dateInput, bad)).toBeUndefined();
  });

  test('date-times have a zone; what is finer than a millisecond is cut off', () => {
    expect(read(instantInput, '"2026-11-20T10:00:00.123999+01:00"')).toBe(Date.UTC(2026, 10, 20, 9, 0, 0, 123));
    for (const bad of ['"2026-11-20T10:00:00"', '"2026-11-20"', '1700000000'])
      expect(read(instantInput, bad)).toBeUndefined();
  });
});

describe('texts', () => {
  test('ids of the caller: 1 to 256 code points', () => {
    expect(read(callerIdInput, JSON.stringify('👻'.repeat(256)))).toHaveLength(512);
    for (const bad of ['', '.', '..', 'x'.repeat(257), 'a\tb', '\u007f']) {
      expect(read(callerIdInput, JSON.stringify(bad))).toBeUndefined();
    }
    expect(read(callerIdInput, '"..."')).toBe('...');
  });

  test('currency codes in any case', () => {
    expect([read(currencyCodeInput, '"usd"'), read(currencyCodeInput, '"Kwd"')]).toEqual(['USD', 'KWD']);
    expect([read(currencyCodeInput, '"US"'), read(currencyCodeInput, '"XXX"')]).toEqual([undefined, undefined]);
  });

  test('metadata may have any key but one, which is refused and not dropped', () => {
    expect(read(metadataInput, '{"a": "b", "__proto__": "c"}')).toBeUndefined();
    expect(Object.keys(read(metadataInput, '{"constructor": "a", "toString": "b"}') ?? {})).toEqual([
      'constructor',
      'toString',
    ]);
  });
});
