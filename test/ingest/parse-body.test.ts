import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BodyNumber, parseTrackBody, plainNumber } from '../../ingest/parse-body.ts';
import { BadJson } from '../../runtime/exact-json.ts';

const numberOf = (token: string) => plainNumber(parseTrackBody(`{"n":${token}}`).n as BodyNumber);

describe('numbers of a body', () => {
  test.each([
    ['0', '0'],
    ['-0', '0'],
    ['1.50', '1.5'],
    ['-7', '-7'],
    ['123456789012345', '123456789012345'],
    ['0.1', '0.1'],
    ['0.0000001', '0.0000001'],
    ['0.0000000000001', '0.0000000000001'],
    ['9007199254740993', '9007199254740993'],
    ['99999999999999999999.999999999999999999', '99999999999999999999.999999999999999999'],
    ['1234567890.123456789', '1234567890.123456789'],
    ['1e3', '1000'],
    ['1.5E-3', '0.0015'],
    ['1e19', '10000000000000000000'],
    ['100000000000000000000', undefined],
    ['1e-19', undefined],
    ['1e400', undefined],
  ])('%s is %s', (token, plain) => {
    expect(numberOf(token)).toBe(plain);
  });

  test('are exact wherever they stand', () => {
    const body = parseTrackBody('{"properties": {"a":\n9007199254740993 ,"b":[ -1e2]}}');
    const { a, b } = body.properties as { a: BodyNumber; b: BodyNumber[] };
    expect([plainNumber(a), plainNumber(b[0] as BodyNumber)]).toEqual(['9007199254740993', '-100']);
  });

  test('every short decimal comes out as it went in', () => {
    const digits = fc.tuple(fc.integer({ min: 0, max: 99999999 }), fc.integer({ min: 1, max: 999999 }));
    fc.assert(
      fc.property(digits, ([whole, part]) => {
        const token = `${whole}.${String(part).padStart(6, '0')}`;
        expect(numberOf(token)).toBe(token.replace(/0+$/, ''));
      }),
    );
  });
});

test.each(['', '{', '[]', 'null', '"x"', ' 9007199254740993', '{"a":1,}', '{"a":01}', '\ufeff'])(
  '%j is no body',
  (text) => {
    expect(() => parseTrackBody(text)).toThrow(BadJson);
  },
);

test('the last of two equal keys wins', () => {
  expect(parseTrackBody('{"a":"1","a":"2"}')).toEqual({ a: '2' });
});
