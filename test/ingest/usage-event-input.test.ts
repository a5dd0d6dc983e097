import { describe, expect, test } from 'vitest';
import { DomainError } from '../../core/domain-error.ts';
import { parseTrackBody } from '../../ingest/parse-body.ts';
import { usageEventFromBody } from '../../ingest/usage-event-input.ts';
import type { Caller } from '../../runtime/http/api-key.ts';

const NOW = Date.UTC(2026, 10, 20, 10);
const live: Caller = { keyId: 'key_1', accountId: 'acct_1', mode: 'live', scopes: ['events:write'], rateLimit: null };
const good = { event_name: 'call', customer_id: 'c', idempotency_id: 'i', time_created: '2026-11-20T09:00:00Z' };

const read = (body: unknown, caller = live) => usageEventFromBody(parseTrackBody(JSON.stringify(body)), caller, NOW);

function refusalOf(body: unknown, caller = live): Record<string, string[]> {
  try {
    read(body, caller);
  } catch (error) {
    if (error instanceof DomainError && error.fields) return { ...error.fields };
    throw error;
  }
  throw new Error('It was accepted.');
}

describe('a good event', () => {
  test('keeps its parts by type', () => {
    const properties = { n: 1.5, s: 'x', numeric: '1.50', b: true, empty: '', big: '1e30', minus: '-', zero: -0 };
    expect(read({ ...good, properties })).toEqual({
      accountId: 'acct_1',
      customerId: 'c',
      eventName: 'call',
      timeCreated: Date.UTC(2026, 10, 20, 9),
      idempotencyId: 'i',
      numbers: { n: '1.5', numeric: '1.5', zero: '0' },
      strings: { s: 'x', numeric: '1.50', empty: '', big: '1e30', minus: '-' },
      booleans: { b: true },
      receivedAt: NOW,
    });
  });

  test('__proto__ is a name like any other', () => {
    const body = JSON.stringify({ ...good, properties: { x: 1 } }).replace('"x"', '"__proto__"');
    const event = usageEventFromBody(parseTrackBody(body), live, NOW);
    expect(JSON.stringify(event.numbers)).toBe('{"__proto__":"1"}');
  });

  test.each([
    ['{"_isBigNumber":true,"s":1,"e":0,"c":[1]}', 'read as floats'],
    ['{"_isBigNumber":true,"s":1,"e":0,"c":[1],"long":1234567890123456}', 'read as decimals'],
    ['{"_isBigNumber":true,"s":null,"e":null,"c":null,"long":1e1}', 'that is no number'],
  ])('what only looks like a decimal is none: %s, %s', (value) => {
    const asProperties = JSON.stringify({ ...good, properties: '@' }).replace('"@"', value);
    const refusal = (text: string) => {
      try {
        return usageEventFromBody(parseTrackBody(text), live, NOW);
      } catch (error) {
        return error instanceof DomainError ? { ...error.fields } : error;
      }
    };
    expect(Object.keys(refusal(asProperties) as object)).toContain('properties.c');
    const asProperty = JSON.stringify({ ...good, properties: { n: '@' } }).replace('"@"', value);
    expect(refusal(asProperty)).toEqual({ 'properties.n': ['Must be a string, a number or a boolean.'] });
    const asId = JSON.stringify({ ...good, customer_id: '@' }).replace('"@"', value);
    expect(refusal(asId)).toEqual({ customer_id: ['Must be a string.'] });
  });

  test('any Unicode makes an id, 256 characters long at most', () => {
    const id = '😀'.repeat(256);
    expect(read({ ...good, customer_id: id, idempotency_id: ' a' })).toMatchObject({
      customerId: id,
      idempotencyId: ' a',
    });
  });

  test('time: an offset is converted, what is finer than a millisecond cut off', () => {
    const at = (time_created: string, caller = live) => read({ ...good, time_created }, caller).timeCreated;
    expect(at('2026-11-20T10:30:00.1239+02:00')).toBe(Date.UTC(2026, 10, 20, 8, 30, 0, 123));
    expect(at('2000-01-01T00:00:00Z')).toBe(Date.UTC(2000, 0, 1));
    expect(at('2026-11-21T10:00:00Z')).toBe(NOW + 86_400_000);
    expect(at('2299-12-31T23:59:59.999Z', { ...live, mode: 'test' })).toBe(Date.UTC(2299, 11, 31, 23, 59, 59, 999));
  });
});

describe('a bad event', () => {
  test('every bad field is named at once', () => {
    expect(
      refusalOf({ event_name: ' ', customer_id: null, time_created: 5, properties: { a: null, b: {} }, x: 1 }),
    ).toEqual({
      x: ['Unknown field.'],
      event_name: ['This field may not be blank.'],
      customer_id: ['This field may not be null.'],
      idempotency_id: ['Required.'],
      time_created: ['Must be a string.'],
      'properties.a': ['This field may not be null.'],
      'properties.b': ['Must be a string, a number or a boolean.'],
    });
  });

  test.each([
    ['customer_id', '..'],
    ['idempotency_id', '.'],
    ['idempotency_id', 'a\u0007'],
    ['idempotency_id', 'a\u0085'],
    ['idempotency_id', 'x'.repeat(257)],
    ['customer_id', '\ud800'],
    ['event_name', 'a\0b'],
    ['time_created', '2026-11-20T09:00:00'],
    ['time_created', '2026-11-20'],
    ['time_created', '2026-02-30T00:00:00Z'],
    ['time_created', '1999-12-31T23:59:59.999Z'],
    ['time_created', '2026-11-21T10:00:00.001Z'],
    ['properties', []],
    ['properties', null],
    ['customer_id', ' '],
    ['idempotency_id', '\u2003 '],
    ['properties', 5],
    ['properties', Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`k${i}`, i]))],
  ])('%s: %j', (field, value) => {
    expect(Object.keys(refusalOf({ ...good, [field]: value }))).toEqual([field]);
  });

  test.each([
    ['', 1],
    ['k'.repeat(257), 1],
    ['a\0', 1],
    ['long', 'x'.repeat(4097)],
    ['nul', 'a\0'],
    ['surrogate', '\udfff'],
    ['nested', [1]],
  ])('property %j: %j', (key, value) => {
    expect(Object.keys(refusalOf({ ...good, properties: { [key]: value } }))).toEqual([
      `properties.${key.slice(0, 256)}`,
    ]);
  });

  test('a number in the place of properties, however long', () => {
    const body = parseTrackBody('{"properties":12345678901234567890}');
    expect(() => usageEventFromBody(body, live, NOW)).toThrow(/properties: Must be an object\./);
  });

  test('a number beyond 20 digits or 18 decimals', () => {
    const body = (token: string) => parseTrackBody(`{"properties":{"n":${token}}}`);
    for (const token of ['100000000000000000000', '0.1234567890123456789', '1e400']) {
      expect(() => usageEventFromBody(body(token), live, NOW)).toThrow(/properties\.n: Must be a number of at most/);
    }
  });

  test('test mode has a future, up to what the store holds', () => {
    const caller = { ...live, mode: 'test' as const };
    expect(refusalOf({ ...good, time_created: '2300-01-01T00:00:00Z' }, caller)).toEqual({
      time_created: ['Must not be after 2299-12-31, the last day that can be stored.'],
    });
  });
});
