import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DomainError } from '../../../core/domain-error.ts';
import { PlainEventReader } from '../../../ingest/intake/plain-event.ts';
import { parseTrackBody } from '../../../ingest/parse-body.ts';
import { timeFlaw, usageEventFromBody } from '../../../ingest/usage-event-input.ts';
import { BadJson } from '../../../runtime/exact-json.ts';
import type { Caller } from '../../../runtime/http/api-key.ts';
import { encodeEventPieces, encodeUsageEvent } from '../../../stream/usage-row.ts';
import { howMany } from '../../how-many.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const CALLER: Caller = { keyId: 'k', accountId: 'acct_1', mode: 'live', scopes: ['events:write'], rateLimit: null };
const EVENT = { event_name: 'call', customer_id: 'c', idempotency_id: 'e-1', time_created: '2026-11-20T10:00:00.123Z' };

const reader = new PlainEventReader();

/** The row that the reader makes of a text within others; undefined where it leaves the event to the rules. */
function plainRow(text: string | Buffer): Buffer | undefined {
  const bytes = Buffer.concat([Buffer.from('{"1'), Buffer.from(text), Buffer.from('1"}]')]);
  const isPlain = reader.read(bytes, 3, bytes.length - 4);
  if (!isPlain || timeFlaw(reader.timeCreated, CALLER.mode, NOW)) return undefined;
  return encodeEventPieces(CALLER.accountId, reader, NOW);
}

/** The row that the rules make of it; undefined where they refuse it. */
function ruledRow(text: string): Buffer | undefined {
  try {
    return encodeUsageEvent(usageEventFromBody(parseTrackBody(text), CALLER, NOW));
  } catch (error) {
    if (error instanceof BadJson || error instanceof DomainError) return undefined;
    throw error;
  }
}

function expectAsRuled(text: string) {
  const row = plainRow(text);
  if (row) expect(row).toEqual(ruledRow(text));
}

describe('what nearly every sender writes is plain', () => {
  test.each([
    EVENT,
    { ...EVENT, properties: {} },
    { properties: { tokens: 1800, cost: -0.25, model: 'große', id: '4f-x', cached: true, late: false }, ...EVENT },
    { ...EVENT, time_created: '2026-11-20T12:00:00+02:00', event_name: 'a b' },
  ])('%j', (event) => {
    for (const indent of [0, 1]) {
      const text = JSON.stringify(event, null, indent);
      expect(plainRow(text)).toBeDefined();
      expectAsRuled(text);
    }
  });
});

describe('what is plain is what the rules make of it', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(
      '',
      ' ',
      '.',
      '..',
      '1',
      '-1.5',
      '1e5',
      '0123',
      '\u007f',
      '\u0085',
      'é',
      'x'.repeat(256),
      'x'.repeat(257),
    ),
  );
  const time = fc.oneof(
    fc.constantFrom(
      '2026-11-21T12:00:00Z',
      '2026-11-21T12:00:00.001Z',
      '1999-12-31T23:59:59Z',
      '2026-02-29T00:00:00Z',
      'x',
    ),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  );
  const value = fc.oneof(
    text,
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.jsonValue({ maxDepth: 1 }),
    fc.string({ minLength: 4_090, maxLength: 4_100 }),
  );
  const event = fc.record(
    {
      event_name: fc.oneof(text, fc.constant('call')),
      customer_id: fc.oneof(text, fc.constant('c')),
      idempotency_id: fc.oneof(text, fc.constant('e')),
      time_created: fc.oneof(time, fc.constant(EVENT.time_created)),
      properties: fc.oneof(fc.dictionary(text, value, { maxKeys: 20 }), fc.constant(undefined)),
    },
    { requiredKeys: ['time_created', 'event_name'] },
  );

  test('whatever is in it', () => {
    fc.assert(
      fc.property(event, fc.constantFrom(0, 2), (one, indent) => {
        expectAsRuled(JSON.stringify({ ...EVENT, ...one }, null, indent));
      }),
      { numRuns: howMany(500, 2_000) },
    );
  });

  test('however its text is broken', () => {
    const whole = JSON.stringify({ ...EVENT, properties: { a: 1, b: 'x', c: true, d: -2.5 } });
    const piece = fc.constantFrom(
      ...'{}[]",:0.-eE\\ \n\u0000é\u007ft',
      'null',
      'true',
      '"a":1,',
      '"properties":{},',
      '"event_name":"x",',
      '1'.repeat(15),
    );
    fc.assert(
      fc.property(fc.nat(whole.length), fc.nat(4), fc.oneof(piece, fc.constant('')), (at, cut, put) => {
        expectAsRuled(whole.slice(0, at) + put + whole.slice(at + cut));
      }),
      { numRuns: howMany(1_500, 5_000) },
    );
  });

  test.each([
    ['a property', '"properties":{"a":1,"b":2,"a":3}'],
    ['the properties', '"properties":{"a":1},"properties":{"b":1}'],
    ['an id', '"idempotency_id":"e-2"'],
    ['a time', '"time_created":"2026-11-20T10:00:00Z"'],
  ])('not where %s stands twice', (_what, more) => {
    expect(plainRow(`${JSON.stringify(EVENT).slice(0, -1)},${more}}`)).toBeUndefined();
  });

  test('every number', () => {
    const number = fc.stringMatching(/^-?\d{1,17}(\.\d{1,17})?([eE][+-]?\d)?$/);
    fc.assert(
      fc.property(number, (digits) =>
        expectAsRuled(JSON.stringify({ ...EVENT, properties: {} }).replace('{}', `{"n":${digits}}`)),
      ),
      { numRuns: howMany(500, 2_000) },
    );
  });

  test('broken UTF-8 is not', () => {
    const [before = '', after = ''] = JSON.stringify({ ...EVENT, properties: { a: '?' } }).split('?');
    for (const bytes of [[0xff], [0xed, 0xa0, 0x80], [0xc3]]) {
      expect(plainRow(Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]))).toBeUndefined();
    }
  });
});
