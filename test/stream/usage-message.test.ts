import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { UsageEvent } from '../../stream/usage-event.ts';
import { decodeUsageMessage, encodeUsageMessage } from '../../stream/usage-message.ts';
import { encodeUsageEvent } from '../../stream/usage-row.ts';
import { encodeMessageV1 } from './messages-v1.ts';
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
  accountId: text,
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

  /** A message of version 2 with a checksum that is right. */
  const sealed = (lengths: number[], rowBytes: number, count = lengths.length) => {
    const rest = Buffer.alloc(2 + 4 * lengths.length + rowBytes);
    rest.writeUInt16LE(count);
    lengths.forEach((length, i) => {
      rest.writeUInt32LE(length, 2 + 4 * i);
    });
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32LE(crc32(rest));
    return Buffer.concat([Buffer.from([2]), checksum, rest]);
  };
  test.each([
    ['more lengths than there is room for', sealed([], 0, 1)],
    ['a row that is too short for one', sealed([50], 50)],
    ['a row that is not all there', sealed([100, 100], 199)],
    ['more than the rows', sealed([100], 101)],
    ['more rows than a message has positions', sealed(Array(1_025).fill(60), 1_025 * 60)],
  ])('%s makes a message of version 2 malformed, whatever its checksum', (_what, message) => {
    expect(decodeUsageMessage(message)).toMatchObject({ ok: false, reason: 'malformed' });
    expect(decodeUsageMessage(sealed([100, 100], 200)).ok).toBe(true);
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
