import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decodeUsageMessage,
  encodeUsageEvent,
  encodeUsageMessage,
  type UsageEvent,
} from '../../stream/usage-message.ts';

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

describe('messages of the usage stream', () => {
  test('the stored form of version 1 is read', () => {
    expect(decodeUsageMessage(bytes(STORED_V1))).toEqual({ ok: true, events: [event] });
    expect(encodeUsageMessage([encodeUsageEvent(event)])).toBe(STORED_V1);
  });

  test('what was encoded is read back, whatever the names and texts', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 5 }), (events) => {
        const decoded = decodeUsageMessage(bytes(encodeUsageMessage(events.map(encodeUsageEvent))));
        expect(decoded.ok && JSON.stringify(decoded.events)).toBe(JSON.stringify(events));
      }),
    );
  });

  test.each([
    ['not_utf8', new Uint8Array([0x7b, 0xff, 0x7d])],
    ['not_json', bytes('{"v":1,')],
    ['malformed', bytes('[]')],
    ['malformed', bytes('null')],
    ['unknown_version', bytes('{"events":[]}')],
    ['unknown_version', bytes('{"v":2,"events":[]}')],
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
  ])('%s makes a message malformed', (_what, wrong) => {
    const message = encodeUsageMessage([encodeUsageEvent(event), encodeUsageEvent({ ...event, ...wrong })]);
    expect(decodeUsageMessage(bytes(message))).toMatchObject({ ok: false, reason: 'malformed' });
  });
});
