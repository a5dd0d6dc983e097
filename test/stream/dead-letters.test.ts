import { describe, expect, test } from 'vitest';
import { seemsToHold } from '../../stream/dead-letters.ts';
import type { UsageEvent } from '../../stream/usage-event.ts';
import { decodeUsageMessage, encodeUsageMessage } from '../../stream/usage-message.ts';
import { encodeUsageEvent } from '../../stream/usage-row.ts';
import { encodeMessageV1 } from './messages-v1.ts';

/** Which events a message still shows that cannot be decoded (spec/events#trace). */

const LONG = 'x'.repeat(300);
const event: UsageEvent = {
  ...{ accountId: 'acct_1', customerId: 'cust-1', eventName: 'call', idempotencyId: 'e10' },
  ...{ timeCreated: 1795235618884, receivedAt: 1795235618999 },
  ...{ numbers: { n: '7' }, strings: { region: 'eu' }, booleans: {} },
};
const events = [
  event,
  { ...event, accountId: 'acct_2', idempotencyId: 'order-7', customerId: LONG, strings: { acct_1: 'paid' } },
  { ...event, idempotencyId: LONG },
];

/** All ids that somebody might ask for, and for each account those that it has sent. */
const ASKED = ['e1', 'e10', '10', 'order-7', 'order', 'call', 'region', 'paid', LONG, LONG.slice(1)];
const seenOf = (data: Uint8Array) =>
  ['acct_1', 'acct_2', 'acct'].map((accountId) => ASKED.filter((id) => seemsToHold(data, { accountId, id })));

describe('of a damaged message', () => {
  const whole = encodeUsageMessage(events.map(encodeUsageEvent));

  test('each account is told its own events, by their whole ids', () => {
    const damaged = Buffer.from(whole);
    damaged.fill(0xff, damaged.length - 20);
    expect(decodeUsageMessage(damaged)).toMatchObject({ ok: false });
    expect(seenOf(damaged)).toEqual([['e10', LONG], ['order-7'], []]);
  });

  test('whatever is missing of it, there is no error, and what is left is found', () => {
    for (let length = 0; length < whole.length; length++) {
      const [first = [], , none] = seenOf(whole.subarray(0, length));
      expect([['e10', LONG], ['e10'], []]).toContainEqual(first);
      expect(none).toEqual([]);
    }
  });

  test('of another version the ids stand in it as whole texts', () => {
    const other = encodeMessageV1(events.slice(0, 1)).toString().replace('"v":1', '"v":99');
    const of = (id: string) => seemsToHold(Buffer.from(other), { accountId: 'acct_1', id });
    expect([of('e10'), of('e1'), of('"e10')]).toEqual([true, false, false]);
    expect(seemsToHold(Buffer.from(other), { accountId: 'acct_2', id: 'e10' })).toBe(false);
  });
});
