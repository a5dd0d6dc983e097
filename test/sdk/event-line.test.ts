import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decimal, roundHalfAwayFromZero, toPlain } from '../../core/decimal.ts';
import { DomainError } from '../../core/domain-error.ts';
import { WRONG } from '../../ingest/intake/event-input.ts';
import { parseTrackBody } from '../../ingest/parse-body.ts';
import { usageEventFromBody } from '../../ingest/usage-event-input.ts';
import type { Caller } from '../../runtime/http/api-key.ts';
import { InvalidEventError } from '../../sdk/typescript/source/meter/errors.ts';
import { eventLine, type UsageEvent } from '../../sdk/typescript/source/meter/event-line.ts';
import { numberText } from '../../sdk/typescript/source/meter/number-text.ts';
import { howMany } from '../how-many.ts';
import { EVENT_CASES } from './event-cases.ts';

/** In test mode no event lies too far ahead: that alone needs the service's clock. */
const CALLER: Caller = { keyId: 'k', accountId: 'a', mode: 'test', scopes: ['events:write'], rateLimit: null };
const NOW = Date.UTC(2026, 10, 23);

/** What the edge makes of a body: the event, or the bad fields. */
function edgeOf(json: string): { event: object } | { errors: unknown } {
  try {
    return { event: usageEventFromBody(parseTrackBody(json), CALLER, NOW) };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { errors: { ...error.fields } };
  }
}

/** What the SDK makes of an event: its line, or the bad fields. */
function sdkOf(event: object): { line: string } | { errors: unknown } {
  try {
    return { line: eventLine(event as UsageEvent).line };
  } catch (error) {
    if (!(error instanceof InvalidEventError)) throw error;
    return { errors: { ...error.errors } };
  }
}

describe('the SDK and the edge have the same rules (spec/events#fields)', () => {
  test.each(EVENT_CASES)('$what', ({ event }) => {
    const [sdk, edge] = [sdkOf(event), edgeOf(JSON.stringify(event))];
    // Where the SDK takes it the edge reads from its line what it would have read from the body.
    expect('line' in sdk ? edgeOf(sdk.line) : sdk).toEqual(edge);
  });

  test('whatever an event holds', () => {
    const text = fc.string({ unit: 'binary', maxLength: 5 });
    const value = fc.oneof(text, fc.boolean(), fc.integer(), fc.constant(null), fc.array(fc.nat(), { maxLength: 1 }));
    const event = fc.record(
      {
        event_name: fc.oneof(text, fc.constant('call')),
        customer_id: fc.oneof(text, fc.constant('acme')),
        idempotency_id: text,
        time_created: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
        properties: fc.oneof(fc.dictionary(text, value, { noNullPrototype: true }), value),
      },
      { requiredKeys: ['idempotency_id', 'time_created'], noNullPrototype: true },
    );
    fc.assert(
      fc.property(event, (drawn) => {
        const sdk = sdkOf(drawn);
        expect('line' in sdk ? edgeOf(sdk.line) : sdk).toEqual(edgeOf(JSON.stringify(drawn)));
      }),
      { numRuns: howMany(500, 2_000) },
    );
  });
});

describe('what JSON does not have', () => {
  const good = { event_name: 'call', customer_id: 'acme' };

  test.each([
    ['no object', null, { event: [WRONG.object] }],
    ['a list', [good], { event: [WRONG.object] }],
    [
      'NaN',
      { ...good, properties: { p: Number.NaN } },
      { 'properties.p': ['Must be a number of at most 20 integer digits and 18 decimals.'] },
    ],
    ['a bigint', { ...good, properties: { p: 1n } }, { 'properties.p': ['Must be a string, a number or a boolean.'] }],
    [
      'a Date as property',
      { ...good, properties: { p: new Date() } },
      { 'properties.p': ['Must be a string, a number or a boolean.'] },
    ],
    [
      'a Date that is none',
      { ...good, time_created: new Date(Number.NaN) },
      { time_created: ['Must be an ISO 8601 date-time with Z or an offset.'] },
    ],
    ['a Date too early', { ...good, time_created: new Date(0) }, { time_created: ['Must not be before 2000-01-01.'] }],
  ])('%s', (_what, event, errors) => {
    expect(sdkOf(event as object)).toEqual({ errors });
  });

  test('a Date is taken; what is undefined is left out, as JSON does', () => {
    const time_created = new Date('2026-11-20T10:00:00.123Z');
    const { line } = eventLine({ ...good, idempotency_id: 'e', time_created, properties: JSON.parse('{"a":1}') });
    expect(JSON.parse(line)).toEqual({
      ...good,
      idempotency_id: 'e',
      time_created: time_created.toISOString(),
      properties: { a: 1 },
    });
    const { line: other } = eventLine({ ...good, properties: { a: undefined as never, b: 2 } });
    expect(JSON.parse(other)).toMatchObject({ properties: { b: 2 } });
  });

  test('what is left out is made: an id of its own, the time', () => {
    const before = Date.now();
    const [one, two] = [eventLine(good), eventLine(good)];
    expect(one.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(two.id).not.toBe(one.id);
    const { idempotency_id, time_created } = JSON.parse(one.line);
    expect(idempotency_id).toBe(one.id);
    expect(Date.parse(time_created)).toBeGreaterThanOrEqual(before);
  });
});

describe('numbers', () => {
  test.each([
    [0.00022500000000000002, '0.000225'],
    [-0.00022500000000000002, '-0.000225'],
    [0.1 + 0.2, '0.30000000000000004'],
    // Of 19 decimals the last is a five: away from zero.
    [1.5e-18, '0.000000000000000002'],
    [-2.5e-18, '-0.000000000000000003'],
    [4.9e-19, '0'],
    [5e-324, '0'],
    [-0, '0'],
    [0.009123456789012345, '0.009123456789012345'],
    [123456789012345680000, undefined],
    [12345678901234567000, '12345678901234567000'],
    [Number.POSITIVE_INFINITY, undefined],
    [1e21, undefined],
  ])('%d is %s', (value, text) => {
    expect(numberText(value)).toBe(text);
  });

  test('each is its shortest form rounded to 18 decimals, half away from zero', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.double({
            noNaN: true,
            noDefaultInfinity: true,
            min: -1e20,
            max: 1e20,
            minExcluded: true,
            maxExcluded: true,
          }),
          fc.double({ noNaN: true, min: -1e-10, max: 1e-10 }),
          fc.integer(),
        ),
        (value) => {
          const expected = toPlain(roundHalfAwayFromZero(decimal(String(value)), 18));
          const text = numberText(value) ?? '';
          expect(toPlain(decimal(text))).toBe(expected === '-0' ? '0' : expected);
          expect(() => JSON.parse(text)).not.toThrow();
        },
      ),
      { numRuns: howMany(1_000, 5_000) },
    );
  });
});
