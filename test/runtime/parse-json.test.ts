import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson } from '../../runtime/parse-json.ts';

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
    { numRuns: 500 },
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

test.each(['"\\q"', '"\\u12"', '\\n', '{"a":1,\\n"b":2}', '"\\"', '{"a\\":1}'])('%s is no JSON', (text) => {
  expect(() => parseJson(text)).toThrow(SyntaxError);
});

test('a later key wins, also when only the escape makes it the same', () => {
  expect(parseJson('{"a":1,"\\u0061":2}')).toEqual({ a: 2 });
});

test('numbers keep their source text beside escapes', () => {
  const value = parseJson('{"a\\n":9007199254740993}', (_key, inner, { source }) => source ?? inner);
  expect(value).toEqual({ 'a\n': '9007199254740993' });
});
