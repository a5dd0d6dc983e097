import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countAccepted, hourOf } from '../../stream/count-accepted.ts';
import type { UsageEvent } from '../../stream/usage-event.ts';
import { decodeUsageMessage, encodeUsageMessage } from '../../stream/usage-message.ts';
import { encodeUsageEvent } from '../../stream/usage-row.ts';
import { encodeMessageV1 } from './messages-v1.ts';
import { readRows } from './read-row.ts';

const HOUR = 3_600_000;

const event = (accountId: string, receivedAt: number, strings: Record<string, string> = {}): UsageEvent => ({
  ...{ accountId, receivedAt, strings, customerId: 'c', eventName: 'e', timeCreated: 0, idempotencyId: 'i' },
  ...{ numbers: {}, booleans: {} },
});
const VERSIONS: [string, (...events: UsageEvent[]) => Buffer][] = [
  ['1', (...events) => encodeMessageV1(events)],
  ['2', (...events) => encodeUsageMessage(events.map(encodeUsageEvent))],
];

describe.each(VERSIONS)('messages of version %s', (_version, message) => {
  test('counts by account and hour of receipt', () => {
    const counted = countAccepted(message(event('a', 5), event('b', 5), event('a', HOUR - 1), event('a', HOUR)));
    expect(counted).toEqual([
      { accountId: 'a', hour: 0, events: 2 },
      { accountId: 'b', hour: 0, events: 1 },
      { accountId: 'a', hour: HOUR, events: 1 },
    ]);
  });

  test('counts what the decoder reads, whatever stands in the properties', () => {
    const properties = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }));
    const accounts = fc.array(fc.tuple(fc.constantFrom('a', 'b"\\'), fc.nat(10 * HOUR), properties), { maxLength: 20 });
    fc.assert(
      fc.property(accounts, (events) => {
        const data = message(...events.map(([account, at, strings]) => event(account, at, strings)));
        const decoded = decodeUsageMessage(data);
        const keys = decoded.ok
          ? readRows(decoded.rows).map((one) => `${hourOf(one.receivedAt)} ${one.accountId}`)
          : [];
        const counted = countAccepted(data).flatMap(({ accountId, hour, events }) =>
          Array.from({ length: events }, () => `${hour} ${accountId}`),
        );
        expect(counted.sort()).toEqual(keys.sort());
      }),
    );
  });
});

test('what cannot be read counts nothing; what only the decoder refuses is counted', () => {
  for (const text of ['', 'x', 'null', '[]', '{}', '{"events":{}}', '{"events":[1]}', '{"events":[["a"]]}']) {
    expect(countAccepted(Buffer.from(text))).toEqual([]);
  }
  const newer = Buffer.from(
    encodeMessageV1([event('a', 5)])
      .toString()
      .replace('"v":1', '"v":7'),
  );
  expect(decodeUsageMessage(newer).ok).toBe(false);
  expect(countAccepted(newer)).toEqual([{ accountId: 'a', hour: 0, events: 1 }]);
  const damaged = encodeUsageMessage([encodeUsageEvent(event('a', 5))]);
  damaged[20] = 255;
  expect(countAccepted(damaged)).toEqual([]);
  expect(countAccepted(damaged.subarray(0, 5))).toEqual([]);
});

test('a time of receipt that no clock shows counts nothing', () => {
  const far = encodeUsageEvent(event('a', 5));
  far.writeBigInt64LE(-(2n ** 63n), far.length - 36);
  expect(countAccepted(encodeUsageMessage([far]))).toEqual([]);
  for (const receivedAt of [1e300, -1e300, 0.5])
    expect(countAccepted(encodeMessageV1([event('a', receivedAt)]))).toEqual([]);
});

test.each([
  ['more rows than there is room for', [9, 0]],
  ['a row that is too short for one', [1, 0, 35, 0, 0, 0, ...Array(35).fill(0)]],
  ['a row that is not all there', [1, 0, 255, 0, 0, 0, ...Array(60).fill(0)]],
])('%s counts nothing, whatever the checksum, and the audit goes on', (_what, bytes) => {
  const rest = Buffer.from(bytes);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(crc32(rest));
  expect(countAccepted(Buffer.concat([Buffer.from([2]), checksum, rest]))).toEqual([]);
});

test('a long name of an account is read whole', () => {
  const accountId = 'é'.repeat(300);
  const counted = countAccepted(encodeUsageMessage([encodeUsageEvent(event(accountId, HOUR))]));
  expect(counted).toEqual([{ accountId, hour: HOUR, events: 1 }]);
});
