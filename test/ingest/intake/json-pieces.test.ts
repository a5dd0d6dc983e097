import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { elementsOf, membersOf } from '../../../ingest/intake/json-pieces.ts';
import { BadJson } from '../../../runtime/exact-json.ts';
import { parseJson } from '../../../runtime/parse-json.ts';

const elements = (text: string) => [...elementsOf(Buffer.from(text))].map(String);
const members = (text: string) => [...membersOf(Buffer.from(text))].map(([key, value]) => [key, String(value)]);

describe('a list', () => {
  test('comes apart at its own commas alone', () => {
    expect(elements(' [1, {"a":[2,3],"b":"],\\"["} ,"x,y",[]]\n')).toEqual([
      '1',
      ' {"a":[2,3],"b":"],\\"["} ',
      '"x,y"',
      '[]',
    ]);
    expect(elements('[]')).toEqual([]);
    expect(elements('[ \t\r\n ]')).toEqual([]);
  });

  test('any JSON list comes apart into its elements, however it is written', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.constantFrom(0, 1), (list, indent) => {
        const text = JSON.stringify(list, null, indent);
        expect(elements(text).map((element) => parseJson(element))).toEqual(parseJson(text));
      }),
    );
  });

  test.each(['', '1', '{}', '[', '[1', '[1,2', '["', '["\\"]', '[1]]', '[1]x', '[1}', '[{"a":1]'])(
    '%s is none',
    (text) => {
      const read = () => elements(text).map((element) => parseJson(element));
      expect(read).toThrow();
    },
  );
});

describe('an object', () => {
  test('comes apart into its members; the last of a key counts, however it is written', () => {
    expect(members('{"a":1,"\\u0061":[2,{"b":3}],"c" : "x}"}')).toEqual([
      ['a', '[2,{"b":3}]'],
      ['c', ' "x}"'],
    ]);
    expect(members(' { } ')).toEqual([]);
  });

  test('any JSON object comes apart into its members', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const read = [...membersOf(Buffer.from(JSON.stringify(object, null, 2)))];
        expect(new Map(read.map(([key, value]) => [key, parseJson(String(value))]))).toEqual(
          new Map(Object.entries(parseJson(JSON.stringify(object)) as object)),
        );
      }),
    );
  });

  test.each(['', '[]', '{', '{"a"}', '{"a":1,}', '{a:1}', '{"a":1}}', '{"a":1}{', '{"a" 1}', '{,}', '{"a\n":1}'])(
    '%s is none',
    (text) => expect(() => members(text)).toThrow(BadJson),
  );
});
