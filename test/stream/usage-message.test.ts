import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countAccepted } from '../../stream/count-accepted.ts';
import type { UsageEvent } from '../../stream/usage-event.ts';
import { decodeUsageMessage, encodeUsageMessage } from '../../stream/usage-message.ts';
import { encodeUsageEvent } from '../../stream/usage-row.ts';
import { encodeMessageV1 } from './messages-v1.ts';
import { mutants, withChecksum } from './mutants.ts';
import { readRows } from './read-row.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

/** A message as version 1 wrote it: stored messages like it must stay readable for ever. */
const STORED_V1 =
  '{"v":1,"events":[["acct_1","cust-1","api_call",1795235618884,"evt-1",{"bytes":"12.5","n":"-7"},{"n":"-7.0","region":"eu"},{"ok":true},1795235618999]]}';

const event: UsageEvent = {
  accountId: 'acct_1',
  customerId: 'cust-1',
  eventName: 'api_call',
  timeCreated: 1795235618884,
  idempotencyId: 'evt-1',
  numbers: { bytes: '12.5', n: '-7' },
  strings: { n: '-7.0', region: 'eu' },
  booleans: { ok: true },
  receivedAt: 1795235618999,
};

const text = fc.string({ unit: 'grapheme' });
const name = fc.oneof(text, fc.constantFrom('__proto__', 'constructor', '"', '\\', '\u0001'));
const anyEvent = fc.record<UsageEvent>({
  accountId: fc.stringMatching(/^[!-~]{1,127}$/),
  customerId: text,
  eventName: text,
  timeCreated: fc.integer({ min: 946684800000, max: 10413791999999 }),
  idempotencyId: text,
  numbers: fc.dictionary(name, fc.constantFrom('0', '-1.5', '99999999999999999999.999999999999999999')),
  strings: fc.dictionary(name, text),
  booleans: fc.dictionary(name, fc.boolean()),
  receivedAt: fc.integer({ min: 946684800000, max: 10413791999999 }),
});

/** The same as version 2 wrote it. */
const STORED_V2 =
  '026a4326cd01008900000006616363745f3106637573742d31086170695f63616c6c44a061fca1010000056576742d310205' +
  '6279746573000062acc5eb78ad0000000000000000016e0000446c1601db9effffffffffffffff02016e042d372e30067265' +
  '67696f6e02657501026f6b01b7a061fca101000000000000000000000000000000000000000000000000000000000000';

const messageOf = (...events: UsageEvent[]) => encodeUsageMessage(events.map(encodeUsageEvent));
const eventsOf = (data: Uint8Array): UsageEvent[] => {
  const decoded = decodeUsageMessage(data);
  if (!decoded.ok) throw new Error(decoded.detail);
  return readRows(decoded.rows).map(({ fingerprint: _, position: __, epoch: ___, ...rest }) => rest);
};

describe('messages of the usage stream', () => {
  test('the stored forms of all versions are read', () => {
    expect(eventsOf(bytes(STORED_V1))).toEqual([event]);
    expect(encodeMessageV1([event]).toString()).toBe(STORED_V1);
    expect(eventsOf(Buffer.from(STORED_V2, 'hex'))).toEqual([event]);
    expect(messageOf(event).toString('hex')).toBe(STORED_V2);
  });

  const WRITERS: [string, (events: UsageEvent[]) => Buffer][] = [
    ['1', encodeMessageV1],
    ['2', (events) => messageOf(...events)],
  ];
  test.each(WRITERS)(
    'what was encoded as version %s is read back, whatever the names and texts',
    (_version, encode) => {
      fc.assert(
        fc.property(fc.array(anyEvent, { maxLength: 5 }), (events) => {
          expect(JSON.stringify(eventsOf(encode(events)))).toBe(JSON.stringify(events));
        }),
      );
    },
  );

  test('an event that cannot be written leaves nothing behind for the next one', () => {
    expect(() => encodeUsageEvent({ ...event, numbers: { n: '1e3' } })).toThrow();
    expect(messageOf(event).toString('hex')).toBe(STORED_V2);
  });

  test('every other byte, and every cut, is noticed in version 2', () => {
    const message = messageOf(event, event);
    const last = message.length - 1;
    fc.assert(
      fc.property(fc.integer({ min: 0, max: last }), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const other = Buffer.from(message);
        other[at] = (other[at] ?? 0) ^ change;
        expect(decodeUsageMessage(other).ok).toBe(false);
        expect(decodeUsageMessage(message.subarray(0, at)).ok).toBe(false);
      }),
      { seed: 20261122, numRuns: 500 },
    );
    expect(decodeUsageMessage(message.subarray(0, last))).toMatchObject({ ok: false, reason: 'damaged' });
  });

  const row = encodeUsageEvent(event);
  test.each([
    ['more lengths than there is room for', withChecksum([], new Uint8Array(), 1)],
    ['a row that is too short for one', withChecksum([50], new Uint8Array(50))],
    ['a row that is not all there', withChecksum([row.length, row.length], Buffer.concat([row, row.subarray(1)]))],
    ['more than the rows', withChecksum([row.length], Buffer.concat([row, Buffer.alloc(1)]))],
    [
      'more rows than a message has positions',
      withChecksum(Array(1_025).fill(row.length), Buffer.alloc(1_025 * row.length)),
    ],
    ['rows that are no events', withChecksum([100, 100], new Uint8Array(200))],
  ])('%s makes a message of version 2 malformed, whatever its checksum', (_what, message) => {
    expect(decodeUsageMessage(message)).toMatchObject({ ok: false, reason: 'malformed' });
    expect(decodeUsageMessage(withChecksum([row.length, row.length], Buffer.concat([row, row]))).ok).toBe(true);
  });

  /** The row with `bytes` in the place of as many, `from` after where `text` begins. */
  const changed = (text: string, from: number, ...bytes: number[]) => {
    const other = Buffer.from(row);
    other.set(bytes, row.indexOf(text) + from);
    return other;
  };
  const FIXED = row.length - 36;
  test.each([
    ['a byte before its fixed end', Buffer.concat([row.subarray(0, FIXED), Buffer.alloc(1), row.subarray(FIXED)])],
    ['a map with an entry too many', changed('ok', -2, 2)],
    ['a map with an entry too few', changed('ok', -2, 0)],
    ['a text that goes on beyond it', changed('eu', -1, 127)],
    ['a text whose length never ends', changed('cust-1', -1, 255, 255, 255, 255, 255, 255)],
    ['a map of endlessly many entries', changed('ok', -2, 255, 255, 255)],
    ['a boolean that is neither', changed('ok', 2, 7)],
    ['a number of 39 digits', changed('bytes', 5 + 12, 0, 0, 0, 0x7f)],
    ['a negative one', changed('bytes', 5 + 12, 0, 0, 0, 0x80)],
    ['a time after 2299', changed('api_call', 8 + 5, 10)],
    ['a time before 1900', changed('api_call', 8 + 5, 0xf0, 0xff, 0xff)],
    ['a receipt before 1970', Buffer.concat([row.subarray(0, FIXED), Buffer.alloc(8, 255), row.subarray(FIXED + 8)])],
    ['an account with a space', changed('acct_1', 3, 32)],
    ['an account with a letter of no account', changed('acct_1', 3, 0xc3)],
    ['no account', Buffer.concat([Buffer.alloc(1), row.subarray(7)])],
    ['an account beyond 127 bytes', encodeUsageEvent({ ...event, accountId: 'a'.repeat(128) })],
  ])('a row with %s makes a message malformed, and says which row', (_what, wrong) => {
    const message = withChecksum([row.length, wrong.length], Buffer.concat([row, wrong]));
    const before = Buffer.from(message);
    expect(decodeUsageMessage(message)).toEqual({ ok: false, reason: 'malformed', detail: 'rows[1] is not an event.' });
    expect(message.equals(before)).toBe(true);
  });

  test('the greatest numbers, the ends of time, long texts and many properties are read', () => {
    const most = '99999999999999999999.999999999999999999';
    const strings = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`key-${i}`, 'x'.repeat(i * i)]));
    const extreme = {
      ...{
        ...event,
        accountId: 'a'.repeat(127),
        timeCreated: Date.UTC(1900, 0, 1),
        receivedAt: 10413791999999,
        strings,
      },
      ...{ idempotencyId: 'ü'.repeat(20_000), numbers: { most, least: `-${most}` } },
    };
    expect(eventsOf(messageOf(event, extreme, event))).toEqual([event, extreme, event]);
  });

  test('a mutant whose checksum is right is malformed, or its rows can be taken apart, and counted by the audit', () => {
    const reasons = mutants((i) => ({ ...event, idempotencyId: `evt-${i}` }), 3_000, 20_261_122).map((message) => {
      const decoded = decodeUsageMessage(message);
      const counted = countAccepted(message).reduce((sum, { events }) => sum + events, 0);
      if (decoded.ok) expect([readRows(decoded.rows).length, counted]).toEqual([3, 3]);
      return decoded.ok ? 'good' : decoded.reason;
    });
    expect(new Set(reasons)).toEqual(new Set(['good', 'malformed']));
  });

  test.each([
    ['not_utf8', new Uint8Array([0x7b, 0xff, 0x7d])],
    ['not_json', bytes('{"v":1,')],
    ['malformed', bytes('[]')],
    ['malformed', bytes('null')],
    ['unknown_version', bytes('{"events":[]}')],
    ['unknown_version', bytes('{"v":2,"events":[]}')],
    ['unknown_version', new Uint8Array([3, 1, 2])],
    ['not_json', new Uint8Array()],
    ['unknown_version', bytes('{"v":"toString","events":[]}')],
    ['malformed', bytes('{"v":1}')],
    ['malformed', bytes('{"v":1,"events":[[]]}')],
  ])('%s is said of what cannot be read', (reason, data) => {
    expect(decodeUsageMessage(data)).toMatchObject({ ok: false, reason });
  });

  test.each([
    ['a number ClickHouse would refuse', { numbers: { n: '1e3' } }],
    ['a number beyond 20 digits', { numbers: { n: '123456789012345678901' } }],
    ['a number that is no text', { numbers: { n: 5 as never } }],
    ['a time beyond the year 2299', { timeCreated: 10413792000000 }],
    ['a time with a fraction', { timeCreated: 1.5 }],
    ['a lone surrogate', { strings: { s: '\ud800' } }],
    ['a boolean that is none', { booleans: { b: 'true' as never } }],
    ['no account', { accountId: null as never }],
  ])('%s makes a message of version 1 malformed', (_what, wrong) => {
    const message = encodeMessageV1([event, { ...event, ...wrong }]);
    expect(decodeUsageMessage(message)).toMatchObject({ ok: false, reason: 'malformed' });
  });
});
