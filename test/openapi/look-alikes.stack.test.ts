import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../api/openapi/annotate-document.ts';
import { openApiDocument } from '../../api/openapi/document.ts';
import { OPERATIONS } from '../../api/routes.ts';
import { newId } from '../../core/ids.ts';
import { howMany } from '../how-many.ts';
import { newAccount, type TestAccount } from '../stack/accounts.ts';
import { operationsOf, resolved } from './document.ts';

/** Values that look like something else to a program that judges by shape: none may pass for it, or break what reads it. */
const LOOK_ALIKES: Record<string, string> = {
  'a decimal': '{"_isBigNumber":true,"s":1,"e":0,"c":[1]}',
  'a decimal that is no number': '{"_isBigNumber":true,"s":null,"e":null,"c":null}',
  'a promise, a date, a buffer, raw JSON, a list and a sealed answer':
    '{"then":"x","toJSON":"x","toString":1,"valueOf":null,"toISOString":"x","toPostgres":true,"$date":"2026-01-01",' +
    '"type":"Buffer","data":[1],"rawJSON":"1","length":1,"0":{"a":1},"iv":"AAAA","text":"AAAA","tag":"AAAA"}',
  'a prototype': '{"__proto__":{"toFixed":1},"constructor":{"prototype":{"a":1}},"prototype":[]}',
  'a number': '7.25',
  'a list': '[{"_isBigNumber":true,"s":null,"e":null,"c":null}]',
};

/** `field`: its name and all that the document says of it. */
type Place = { path: string[]; isNumber: boolean; field: string };

const document = openApiDocument(OPERATIONS);

/** How deep the deepest look-alike is, and a body may be (spec/api#bodies). */
const LEVELS = 3;
const MAX_LEVELS = 10;

/** Every field of a body, at any depth; `0` is the first item of a list. */
function placesIn(asked: JsonSchema, path: string[] = []): Place[] {
  const schema = resolved(document, asked);
  const types = [schema.type].flat();
  const isNumber = types.includes('number') || types.includes('integer');
  const field = `${path.at(-1)} ${JSON.stringify(schema)}`;
  const own = path.length === 0 ? [] : [{ path, isNumber, field }];
  const parts = [...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap((part) => placesIn(part, path));
  const items = schema.items ? placesIn(schema.items, [...path, '0']) : [];
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => placesIn(field, [...path, name]));
  const free =
    types.includes('object') && !schema.properties
      ? [{ path: [...path, 'any'], isNumber: false, field: `${field} any` }]
      : [];
  return [...own, ...parts, ...items, ...fields, ...free];
}

/** The text of a good body with `value` at some places. */
function bodyWith(example: unknown, paths: string[][], value: string): string {
  if (paths.some(({ length }) => length === 0)) return value;
  const inner = (part: unknown, name: string) => {
    const within = paths.filter(([first]) => first === name);
    return bodyWith(
      part,
      within.map(([, ...rest]) => rest),
      value,
    );
  };
  const names = [...new Set(paths.map(([name = '']) => name))];
  if (names.includes('0')) return `[${inner(Array.isArray(example) ? example[0] : undefined, '0')}]`;
  const fields = (example ?? {}) as Record<string, unknown>;
  const replaced = names.map((name) => `${JSON.stringify(name)}:${inner(fields[name], name)}`);
  const others = Object.entries(fields).filter(([name]) => !names.includes(name));
  return `{${[...replaced, ...others.map(([name, other]) => `${JSON.stringify(name)}:${JSON.stringify(other)}`)].join()}}`;
}

const withBody = operationsOf(document).flatMap((operation) => {
  const { schema, example } = operation.requestBody?.content?.['application/json'] ?? {};
  return schema ? [{ ...operation, example, places: placesIn(schema) }] : [];
});

/** A field that several bodies have, as a price in plans and in what a subscription overrides, meets all values in the first, and of them this many elsewhere. */
const ELSEWHERE = howMany(1, Object.keys(LOOK_ALIKES).length);

const met = new Set<string>();
const cases = Object.values(LOOK_ALIKES).map((): typeof withBody => []);
for (const [n, operation] of withBody.entries()) {
  const turns = operation.places.map(({ field }, i) => ({ isFirst: !met.has(field), from: n + i }));
  for (const { field } of operation.places) met.add(field);
  for (const [which, operations] of cases.entries()) {
    const isAsked = (_: Place, i: number) => {
      const { isFirst = true, from = 0 } = turns[i] ?? {};
      return isFirst || (from + which) % cases.length < ELSEWHERE;
    };
    const places = operation.places.filter(isAsked);
    if (places.length > 0) operations.push({ ...operation, places });
  }
}

let account: TestAccount;
beforeAll(async () => {
  account = await newAccount();
});

describe.each(Object.entries(LOOK_ALIKES).map((one, i) => [...one, cases[i] ?? []] as const))(
  'what looks like %s',
  (_what, value, operations) => {
    test.each(operations)(
      'is what it is in every field of $method $path',
      async ({ method, path, example, places }) => {
        const url = path.replaceAll(/\{\w+\}/g, 'none');
        const send = async (paths: string[][]) => {
          const text = bodyWith(example, paths, value);
          const answer = await account.api[method as 'post' | 'patch'](url, text, { 'Idempotency-Key': newId('req') });
          const seen = `${text} ${answer.status} ${answer.text}`;
          expect(answer.status, seen).toBeLessThan(500);
          return { answer, seen };
        };
        // A field that is refused together with others is so alone: those that were not are sent by themselves.
        const refused = new Set<string>();
        for (const level of Map.groupBy(places, (place) => place.path.length).values()) {
          if (level.length === 1) continue;
          const { answer } = await send(level.map((place) => place.path));
          if (answer.status === 422) for (const name of Object.keys(answer.body)) refused.add(name);
        }
        for (const { path: place, isNumber } of places) {
          if (refused.has(place.join('.'))) continue;
          const { answer, seen } = await send([place]);
          // Told in the words and shape of its sender (test/ingest/lago).
          if (path.startsWith('/api/v1/')) continue;
          // What contradicts itself, or is too deep there, is refused before its fields are looked at.
          if (place.length + LEVELS > MAX_LEVELS) continue;
          if (!isNumber || !value.startsWith('{') || String(answer.body.code) === 'contradiction') continue;
          expect(answer.status, seen).toBe(422);
          expect(Object.keys(answer.body), seen).toContain(place.join('.'));
        }
      },
    );
  },
);
