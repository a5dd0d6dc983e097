import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isDecimal, toPlain } from '../../../core/decimal.ts';
import { parseWithDigits } from '../../../ingest/parse-body.ts';
import { dottedProperties } from '../../../ingest/sender-values/properties.ts';
import { noFindings, usageEventFromBody } from '../../../ingest/usage-event-input.ts';
import type { Caller } from '../../../runtime/http/api-key.ts';

/** Values of other senders (spec/senders#values). */

const CALLER: Caller = { keyId: 'key_1', accountId: 'acct_1', mode: 'live', scopes: ['events:write'], rateLimit: null };

function dotted(text: string) {
  const findings = noFindings();
  const properties = dottedProperties(parseWithDigits(text), 'data', findings);
  const shown = Object.entries(properties).map(([name, value]) => [name, isDecimal(value) ? toPlain(value) : value]);
  return { properties: Object.fromEntries(shown), errors: { ...findings.bad?.messages } };
}

/** What the rules of `/api/track` make of the properties. */
function numbersOf(text: string) {
  const properties = dottedProperties(parseWithDigits(text), 'data', noFindings());
  const event = { event_name: 'e', customer_id: 'c', idempotency_id: 'i', time_created: '2026-01-01T00:00:00Z' };
  return usageEventFromBody({ ...event, properties }, CALLER, Date.UTC(2026, 0, 1)).numbers;
}

describe('dottedProperties', () => {
  test('members of objects have dotted names, nulls are left out, and so is what has nothing in it', () => {
    expect(
      dotted('{"model":"m","cost":null,"usage":{"input":3,"cached":{"read":1,"none":null}},"x":{},"ok":true}'),
    ).toEqual({
      properties: { model: 'm', 'usage.input': 3, 'usage.cached.read': 1, ok: true },
      errors: {},
    });
  });

  test.each([['null'], ['{}']])('%s has none', (text) => {
    expect(dotted(text)).toEqual({ properties: {}, errors: {} });
  });

  test.each([['[]'], ['5'], ['0.00022500000000000002'], ['"{}"'], ['true']])('%s is no object', (text) => {
    expect(dotted(text)).toEqual({ properties: {}, errors: { data: ['Must be an object.'] } });
  });

  test('a name that stands twice is told; a null is no value', () => {
    const twice = '{"usage.input":1,"usage":{"input":2},"a":null,"b.c":null,"b":{"c":1}}';
    expect(dotted(twice)).toEqual({
      properties: { 'usage.input': 1, 'b.c': 1 },
      errors: { 'data.usage.input': ['Must not have two values: its dotted name stands twice.'] },
    });
  });

  test('names like those of an object itself are names', () => {
    expect(dotted('{"toString":1,"__proto__":{"x":2},"constructor":{"name":"n"}}')).toEqual({
      properties: { toString: 1, '__proto__.x': 2, 'constructor.name': 'n' },
      errors: {},
    });
  });

  test('numbers, and text that is one, have at most 18 decimals', () => {
    const text =
      '{"cost":0.00022500000000000002,"text":"0.00022500000000000002","short":"1.50","id":"12e4x","tiny":1e-400,"n":1.5}';
    expect(dotted(text).properties).toEqual({
      cost: '0.000225',
      text: '0.000225',
      short: '1.50',
      id: '12e4x',
      tiny: '0',
      n: '1.5',
    });
    expect(numbersOf(text)).toEqual({ cost: '0.000225', text: '0.000225', short: '1.5', tiny: '0', n: '1.5' });
  });

  test('what costs nothing to send costs little here: few names are read, and long ones are not made longer', () => {
    const deep = (levels: number) => `${'{"k":'.repeat(levels)}1${'}'.repeat(levels)}`;
    expect(Object.keys(dotted(deep(9)).properties)).toEqual(['k.k.k.k.k.k.k.k.k']);
    const members = Array.from({ length: 5_000 }, (_, i) => `"${i}":1`).join();
    const properties = dottedProperties(
      parseWithDigits(`{"${'x'.repeat(300)}":{${members}},"y":{${members}}}`),
      'data',
      noFindings(),
    );
    expect(Object.keys(properties)).toHaveLength(101);
    expect(Object.keys(properties).filter((name) => name.startsWith('x'))).toEqual(['x'.repeat(300)]);
  });

  const key = fc.string({ maxLength: 4 }).filter((name) => !name.includes('.'));
  const leaf = fc.oneof(
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.string({ maxLength: 6 }).map((text) => `t${text}`),
  );
  const tree = fc.letrec<{ node: unknown; object: Record<string, unknown> }>((tie) => ({
    node: fc.oneof({ depthSize: 'small' }, leaf, tie('object')),
    object: fc.dictionary(key, tie('node'), { maxKeys: 4 }),
  })).object;

  test('every leaf that is not null is there once, at the path that leads to it', () => {
    fc.assert(
      fc.property(tree, (object) => {
        const findings = noFindings();
        const properties = dottedProperties(object, 'data', findings);
        expect(findings.bad).toBeUndefined();
        const expected = new Map<string, unknown>();
        const walk = (value: unknown, path: string[]): void => {
          if (typeof value === 'object' && value !== null)
            for (const [name, inner] of Object.entries(value)) walk(inner, [...path, name]);
          else if (value !== null) expected.set(path.join('.'), value);
        };
        walk(object, []);
        expect(new Map(Object.entries(properties))).toEqual(expected);
      }),
    );
  });

  test('of keys with dots in them, two that meet are told, and no value is lost silently', () => {
    const dottedKey = fc.constantFrom('a', 'b', 'a.a', 'a.b', 'b.a', 'a.a.a');
    const object = fc.dictionary(
      dottedKey,
      fc.oneof(fc.integer(), fc.dictionary(dottedKey, fc.integer(), { maxKeys: 4 })),
    );
    fc.assert(
      fc.property(object, (value) => {
        const findings = noFindings();
        const properties = dottedProperties(value, 'data', findings);
        const paths = Object.entries(value).flatMap(([name, inner]) =>
          typeof inner === 'number' ? [name] : Object.keys(inner).map((more) => `${name}.${more}`),
        );
        expect(Object.keys(properties).toSorted()).toEqual([...new Set(paths)].toSorted());
        const twice = paths.filter((path, i) => paths.indexOf(path) !== i).map((path) => `data.${path}`);
        expect(Object.keys(findings.bad?.messages ?? {}).toSorted()).toEqual([...new Set(twice)].toSorted());
      }),
    );
  });
});
