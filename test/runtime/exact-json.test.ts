import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decimal, isDecimal } from '../../core/decimal.ts';
import {
  BadJson,
  canonicalJson,
  JsonText,
  parseExactJson,
  parseStoredJson,
  stringifyExactJson,
} from '../../runtime/exact-json.ts';

describe('reading', () => {
  test.each([
    ['0.1', '0.1'],
    ['12345678901234567890', '12345678901234567890'],
    ['0.000000000000000001', '0.000000000000000001'],
    ['-0.30', '-0.3'],
    ['1e3', '1000'],
    ['1.5E-3', '0.0015'],
    ['0', '0'],
  ])('%s is exactly %s', (text, digits) => {
    const value = parseExactJson(text);
    expect(isDecimal(value) && value.toFixed()).toBe(digits);
  });

  test.each(['123456789012345678901', '0.0000000000000000001', '1e400', '1e-400'])('%s is refused as NaN', (text) => {
    expect(parseExactJson(text)).toBeNaN();
  });

  test('numbers inside objects and lists are exact, other values are themselves', () => {
    const value = parseExactJson('{"a": [0.1, "0.1", true, null], "b": {"c": 2}}');
    expect(value).toEqual({ a: [decimal('0.1'), '0.1', true, null], b: { c: decimal(2) } });
  });

  test('the last of duplicate keys wins', () => {
    expect(parseExactJson('{"a": 1, "a": "x"}')).toEqual({ a: 'x' });
  });

  test.each(['', '{', '{"a":}', "{'a': 1}", '[1,]', 'NaN', '01', '{"a": 1} x'])('%j is not JSON', (text) => {
    expect(() => parseExactJson(text)).toThrow(BadJson);
  });

  test('ten levels are read, eleven are not; brackets in strings do not count', () => {
    const nested = (levels: number) => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`;
    expect(() => parseExactJson(nested(10))).not.toThrow();
    expect(() => parseExactJson(`[${nested(10)}]`)).toThrow(BadJson);
    expect(() => parseExactJson(JSON.stringify({ a: '[{'.repeat(50), b: '"\\[[[[[[[[[[[[' }))).not.toThrow();
  });
});

describe('canonical JSON', () => {
  const canonical = (text: string) => canonicalJson(parseExactJson(text));

  test('the order of keys and the spelling of numbers say nothing, at any depth', () => {
    const text = '{"b": [{"y": 1.50, "x": "1"}], "a": null, "__proto__": {"10": 1, "9": true}}';
    const other = '{"__proto__": {"9": true, "10": 1e0}, "a": null, "b": [{"x": "1", "y": 1.5}]}';
    expect(canonical(text)).toBe(canonical(other));
    expect(canonical(text)).toBe('{"__proto__":{"9":true,"10":1},"a":null,"b":[{"x":"1","y":1.5}]}');
  });

  test.each([
    ['[1, 2]', '[2, 1]'],
    ['{"a": 1}', '{"a": "1"}'],
    ['{"a": null}', '{}'],
    ['{"a": {"b": 1}}', '{"a": {}, "b": 1}'],
    ['{"a": {}}', '{"a": []}'],
  ])('%s is not %s', (one, other) => {
    expect(canonical(one)).not.toBe(canonical(other));
  });
});

describe('writing', () => {
  test('decimals are numbers in plain digits, without exponent or artefact', () => {
    const sum = decimal('0.1').plus('0.2');
    expect(stringifyExactJson({ sum, tiny: decimal('1e-12'), big: decimal('1e20'), list: [decimal(3)] })).toBe(
      '{"sum":0.3,"tiny":0.000000000001,"big":100000000000000000000,"list":[3]}',
    );
  });

  test.each(['{"_isBigNumber":true,"s":null,"e":null,"c":null}', '{"rawJSON":"1","toJSON":"x"}'])(
    'what only looks like a number is written as it came: %s',
    (text) => {
      expect(stringifyExactJson(parseExactJson(text))).toBe(text);
      expect(stringifyExactJson({ a: parseStoredJson(text) })).toBe(`{"a":${text}}`);
      expect(parseExactJson(canonicalJson(parseExactJson(text)))).toEqual(parseExactJson(text));
    },
  );

  test('zero has no sign', () => {
    expect(stringifyExactJson({ zero: decimal(0).negated() })).toBe('{"zero":0}');
  });

  test('everything else is as JSON.stringify writes it', () => {
    const value = { a: 'ü"', b: null, c: [true, { d: undefined }, undefined], e: undefined };
    expect(stringifyExactJson(value)).toBe(JSON.stringify(value));
    const likeIt = (any: unknown) => {
      expect(stringifyExactJson(any)).toBe(JSON.stringify(any));
    };
    fc.assert(fc.property(fc.jsonValue(), likeIt));
  });

  test('text that is JSON already is written as it is', () => {
    const line = new JsonText(stringifyExactJson({ amount: decimal('1.5') }));
    expect(stringifyExactJson({ lines: [line, line], first: line, text: '{}' })).toBe(
      '{"lines":[{"amount":1.5},{"amount":1.5}],"first":{"amount":1.5},"text":"{}"}',
    );
  });

  test('what we store is read back the same, however long its numbers and however deep', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n }),
        fc.integer({ min: 0, max: 40 }),
        (digits, scale) => {
          const value = decimal(`${digits}e-${scale}`);
          let back = parseStoredJson(`${'['.repeat(20)}${stringifyExactJson(value)}${']'.repeat(20)}`);
          while (Array.isArray(back)) back = back[0];
          expect(isDecimal(back) && back.eq(value)).toBe(true);
        },
      ),
    );
  });
});
