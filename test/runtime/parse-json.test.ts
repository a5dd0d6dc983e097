import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decimal, isDecimal } from '../../core/decimal.ts';
import { parseExactNumber } from '../../core/property-numbers.ts';
import { parseTrackBody, plainNumber } from '../../ingest/parse-body.ts';
import { parseExactJson, parseStoredJson } from '../../runtime/exact-json.ts';
import { parseJson } from '../../runtime/parse-json.ts';
import { howMany } from '../how-many.ts';
import { entriesOf, jsonObjects, jsonTexts, withNumbers } from './json-texts.ts';

/** Short keys that differ only by how they are escaped: what V8 13.6 mixes up. */
const key = fc.oneof(
  fc.constantFrom(
    '\\',
    '"',
    '\n',
    '\u0001',
    '__proto__',
    'a\\',
    'a\n',
    'a"',
    'n',
    's',
    'q',
    '\ue000',
    '\ue000n',
    '/',
    '\u2028',
  ),
  fc.string({ unit: 'binary' }),
);

test('what was written is read, whatever was read before', () => {
  fc.assert(
    fc.property(fc.array(fc.dictionary(key, fc.oneof(key, fc.integer(), fc.array(key)))), (values) => {
      for (const value of values) {
        const text = JSON.stringify({ x: 1, ...value });
        expect(JSON.stringify(parseJson(text))).toBe(text);
      }
    }),
    { numRuns: howMany(200, 500) },
  );
});

test('keys with escapes are kept apart', () => {
  const keys = ['\\', '\n', '\u0001', '"', '\\', '\t'];
  const read = keys.map((name) => Object.keys(parseJson(`{"x":1,${JSON.stringify(name)}:1}`) as object)[1]);
  expect(read).toEqual(keys);
});

test('every escape is understood', () => {
  expect(parseJson('"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\uDE00"')).toBe('"\\/\b\f\n\r\té😀');
});

test.each([
  '"\\q"',
  '"\\u12"',
  '\\n',
  '{"a":1,\\n"b":2}',
  '"\\"',
  '{"a\\":1}',
  '{"a":\\u0031}',
  '{"a":"\\u12\\n"}',
  '["\\u0022]',
  '"\t"',
])('%s is no JSON', (text) => {
  expect(() => parseJson(text)).toThrow(SyntaxError);
});

test('a later key wins, also when only the escape makes it the same', () => {
  expect(parseJson('{"a":1,"\\u0061":2}')).toEqual({ a: 2 });
});

test.each([
  ['{"customer_id":"x","customer\\u005fid":"b","customer_id":"a"}', { customer_id: 'a' }],
  ['{"customer\\u005Fid":"a","customer\\u005fid":"b","customer\\u005Fid":"c"}', { customer_id: 'c' }],
  ['{"\\u0031":"first","1":"last"}', { 1: 'last' }],
  ['{"a\\/":"first","a/":"second","a\\/":"last"}', { 'a/': 'last' }],
  ['{"a\\n":"first","a\\u000A":"second","a\\n":"last"}', { 'a\n': 'last' }],
  ['{"\\ud83d\\ude00":"first","😀":"second","\\uD83D\\uDE00":"last"}', { '😀': 'last' }],
])('%s has each name once, with its last value', (text, value) => {
  expect(parseJson(text)).toEqual(value);
});

describe('any text, each name written as is or with escapes, once or more often', () => {
  const exact = (digits: string) => parseExactNumber(digits) ?? Number.NaN;
  test.each<[string, (text: string) => unknown, (digits: string) => unknown]>([
    ['parseJson', parseJson, Number],
    ['parseExactJson', parseExactJson, exact],
    ['parseStoredJson', parseStoredJson, decimal],
  ])('%s reads what it says', (_name, parse, number) => {
    fc.assert(
      fc.property(fc.array(jsonTexts, { minLength: 1, maxLength: 3 }), (texts) => {
        for (const { text, value } of texts) {
          expect(entriesOf(parse(text))).toEqual(entriesOf(withNumbers(value, number)));
        }
      }),
      { numRuns: howMany(300, 1_000) },
    );
  });

  test('parseTrackBody reads what it says, through floats and through decimals', () => {
    const digitsOf = (value: unknown): unknown => {
      if (typeof value === 'number' || isDecimal(value)) return { digits: plainNumber(value) };
      if (Array.isArray(value)) return value.map(digitsOf);
      if (typeof value !== 'object' || value === null) return value;
      return { entries: Object.entries(value).map(([key, inner]) => [key, digitsOf(inner)]) };
    };
    fc.assert(
      fc.property(jsonObjects(jsonTexts), ({ text, value }) => {
        expect(digitsOf(parseTrackBody(text))).toEqual(digitsOf(withNumbers(value, exact)));
      }),
      { numRuns: howMany(300, 1_000) },
    );
  });
});

test('every character that could stand for an escape may be in the text itself', () => {
  const everyPrivate = Array.from({ length: 6_400 }, (_, i) => String.fromCharCode(0xe000 + i)).join('');
  const text = JSON.stringify({ x: 1, [`${everyPrivate}\n`]: '"' });
  expect(JSON.stringify(parseJson(text))).toBe(text);
});

test('a megabyte of escapes, and of escaped quotes without an end, take no time that grows with its square', () => {
  const escapes = '\\"\\\\\\n\\u0041'.repeat(1e5);
  expect(parseJson(`"${escapes}"`)).toBe('"\\\nA'.repeat(1e5));
  expect(() => parseJson(`"${escapes}`)).toThrow(SyntaxError);
});

test('numbers keep their source text beside escapes', () => {
  const value = parseJson('{"a\\n":9007199254740993}', (_key, inner, { source }) => source ?? inner);
  expect(value).toEqual({ 'a\n': '9007199254740993' });
});
