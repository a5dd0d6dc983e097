import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { batchOf, type PlacedEvent, readGroup } from '../../aggregator/batch.ts';
import { messagesOfOneBatch } from '../../aggregator/batch-reader.ts';
import { acceptedEvents, claimOf, decideBatch } from '../../aggregator/decide.ts';
import { createIdFilter } from '../../aggregator/id-filter.ts';
import { parseClaim } from '../../stream/claims.ts';
import { fingerprintOf } from '../../stream/fingerprint.ts';
import { encodeUsageEvent, encodeUsageMessage } from '../../stream/usage-message.ts';

const HOUR = 3_600_000;

const placed = (id: string, account = 'acct_1', hour = 0): PlacedEvent => ({
  fingerprint: fingerprintOf(account, id),
  tally: `${hour * HOUR} ${account}`,
  row: { bytes: Buffer.from(id), start: 0, end: id.length },
});
const group = (sequence: number, events: PlacedEvent[], bytes = 100) => ({
  sequence,
  bytes,
  events,
  receivedAt: sequence,
});

describe('deciding', () => {
  test('the first of each id is kept, within the batch and against what has landed', () => {
    const batch = batchOf([
      group(
        1,
        ['a', 'b', 'a'].map((id) => placed(id)),
      ),
      group(2, [placed('c'), placed('b')]),
    ]);
    expect(decideBatch(batch, new Set([fingerprintOf('acct_1', 'c')]))).toEqual([true, true, false, false, false]);
  });

  test('two accounts never collide', () => {
    const batch = batchOf([group(1, [placed('a', 'acct_1'), placed('a', 'acct_2')])]);
    expect(decideBatch(batch, new Set())).toEqual([true, true]);
  });

  test('any split into batches keeps the same events', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e')), { minLength: 1 }), (groups) => {
        const landed = new Set<string>();
        const kept: string[] = [];
        groups.forEach((ids, i) => {
          const batch = batchOf([
            group(
              i + 1,
              ids.map((id) => placed(id)),
            ),
          ]);
          const accepted = decideBatch(batch, landed);
          const events = batch.events.filter((_, n) => accepted[n]);
          for (const { fingerprint, row } of events) {
            landed.add(fingerprint);
            kept.push(row.bytes.toString());
          }
        });
        expect(kept).toEqual([...new Set(groups.flat())]);
      }),
    );
  });

  test('a claim holds the decision, and who takes over lands exactly that', () => {
    const batch = batchOf([
      group(7, [placed('a'), placed('a'), placed('b', 'acct_2', 1)]),
      group(9, [placed('c', 'acct_1', 1)]),
    ]);
    const accepted = decideBatch(batch, new Set());
    const claim = parseClaim(JSON.stringify(claimOf(batch, accepted, { epoch: 1, partition: 0, id: 'w' })));
    expect(claim).toMatchObject({ from: 7, to: 9, events: 4, dead: [], received_at: 9 });
    expect(claim.counts).toEqual([
      { account_id: 'acct_1', hour: 0, accepted: 2, repeated: 1 },
      { account_id: 'acct_2', hour: HOUR, accepted: 1, repeated: 0 },
      { account_id: 'acct_1', hour: HOUR, accepted: 1, repeated: 0 },
    ]);
    expect(acceptedEvents(batch, claim).map(({ row }) => row.bytes.toString())).toEqual(['a', 'b', 'c']);
    expect(() => acceptedEvents(batchOf([group(7, [placed('a')])]), claim)).toThrow();
  });
});

describe('batches', () => {
  test('end at rows, bytes, or when the counts would grow too many', () => {
    const many = (n: number) => Array.from({ length: n }, (_, i) => placed(String(i)));
    expect(messagesOfOneBatch([group(1, many(40_000)), group(2, many(20_000)), group(3, many(1))])).toBe(2);
    expect(messagesOfOneBatch([group(1, [], 20 * 2 ** 20), group(2, [])])).toBe(1);
    const accounts = Array.from({ length: 2_000 }, (_, i) => placed('x', `acct_${i}`));
    expect(messagesOfOneBatch([group(1, accounts), group(2, [])])).toBe(1);
    expect(messagesOfOneBatch([group(1, many(1)), group(2, many(1))])).toBe(2);
  });

  test('a message becomes rows with their place, or a dead letter', () => {
    const event = encodeUsageEvent({
      accountId: 'acct_1',
      customerId: 'c',
      eventName: 'e',
      timeCreated: 1_700_000_000_123,
      idempotencyId: 'i',
      numbers: { n: '1.5' },
      strings: {},
      booleans: {},
      receivedAt: 2 * HOUR + 5,
    });
    const read = readGroup({ sequence: 3, data: new TextEncoder().encode(encodeUsageMessage([event, event])) }, 4);
    const fingerprint = fingerprintOf('acct_1', 'i');
    expect(read.events[1]).toMatchObject({ fingerprint, tally: `${2 * HOUR} acct_1` });
    expect(readGroup({ sequence: 4, data: new Uint8Array([1]) }, 4)).toMatchObject({
      events: [],
      undecodable: { sequence: 4, reason: 'not_json' },
    });
  });
});

describe('the filter over landed ids', () => {
  test('knows every id it was given, grows, and is seldom wrong about others', () => {
    const filter = createIdFilter(0);
    for (let i = 0; i < 1_100_000; i++) filter.add(fingerprintOf('a', `known-${i}`));
    let [missed, wrong] = [0, 0];
    for (let i = 0; i < 1_100_000; i += 10) if (!filter.mayHave(fingerprintOf('a', `known-${i}`))) missed += 1;
    for (let i = 0; i < 100_000; i++) if (filter.mayHave(fingerprintOf('a', `new-${i}`))) wrong += 1;
    expect(missed).toBe(0);
    expect(wrong / 100_000).toBeLessThan(0.02);
    expect(filter.size()).toBe(1_100_000);
    expect(filter.bytes()).toBeLessThan(5_000_000);
  });

  test('keeps to its budget, and then still knows every id', () => {
    const budget = 2_000_000;
    const filter = createIdFilter(0, budget);
    for (let i = 0; i < 2_000_000; i++) filter.addWords(new Uint32Array([i * 7, i * 31, i * 2_654_435_761, 1]), 0);
    let missed = 0;
    const hex = (n: number) => (n >>> 0).toString(16).padStart(8, '0');
    for (let i = 0; i < 2_000_000; i += 10) {
      if (!filter.mayHave(`00000001${hex(i * 2_654_435_761)}${hex(i * 31)}${hex(i * 7)}`)) missed += 1;
    }
    expect(missed).toBe(0);
    expect(filter.bytes()).toBeLessThanOrEqual(budget);
  });

  test('a fingerprint read as little-endian words is the same id', () => {
    const filter = createIdFilter(0);
    const fingerprint = fingerprintOf('a', 'x');
    const bytes = Buffer.from(fingerprint, 'hex').reverse();
    filter.addWords(new Uint32Array(new Uint8Array(bytes).buffer), 0);
    expect(filter.mayHave(fingerprint)).toBe(true);
    expect(filter.mayHave(fingerprintOf('a', 'y'))).toBe(false);
  });
});
