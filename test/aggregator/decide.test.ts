import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { batchOf, bytesOfRows, type ReadGroup, readGroup } from '../../aggregator/batch.ts';
import { messagesOfOneBatch } from '../../aggregator/batch-reader.ts';
import { acceptedByClaim, claimOf, decideBatch } from '../../aggregator/decide.ts';
import { createIdFilter } from '../../aggregator/id-filter.ts';
import { createIdSet } from '../../aggregator/id-set.ts';
import { parseClaim } from '../../stream/claims.ts';
import { fingerprintOf } from '../../stream/fingerprint.ts';
import type { UsageEvent } from '../../stream/usage-event.ts';
import { encodeUsageMessage } from '../../stream/usage-message.ts';
import { encodeUsageEvent, noUsageRows } from '../../stream/usage-row.ts';
import { encodeMessageV1 } from '../stream/messages-v1.ts';
import { readRows } from '../stream/read-row.ts';

const HOUR = 3_600_000;

const event = (idempotencyId: string, accountId = 'acct_1', hour = 0): UsageEvent => ({
  ...{ accountId, idempotencyId, customerId: 'c', eventName: 'e', timeCreated: 1_700_000_000_123 },
  ...{ numbers: { n: '1.5' }, strings: {}, booleans: {}, receivedAt: hour * HOUR + 5 },
});
const group = (sequence: number, events: UsageEvent[]): ReadGroup => {
  return readGroup({ sequence, data: encodeUsageMessage(events.map(encodeUsageEvent)) }, 4);
};
const nothingLanded = (batch: ReturnType<typeof batchOf>) => batch.tallies.map(() => false);
const acceptedIds = (batch: ReturnType<typeof batchOf>, accepted: boolean[]): string[] => {
  const sent = Buffer.concat(bytesOfRows(batch, accepted));
  const landed = batch.rows.flatMap(readRows).filter((_, i) => accepted[i]);
  expect(sent).toEqual(Buffer.concat(landed.map(rowOf)));
  return landed.map(({ idempotencyId }) => idempotencyId);
};
/** The row as it must be sent: with its place. */
const rowOf = (row: ReturnType<typeof readRows>[number]): Buffer => {
  const bytes = encodeUsageEvent(row);
  bytes.set(Buffer.from(row.fingerprint, 'hex').reverse(), bytes.length - 28);
  bytes.writeBigUInt64LE(row.position, bytes.length - 12);
  bytes.writeUInt32LE(row.epoch, bytes.length - 4);
  return bytes;
};

describe('deciding', () => {
  const some = (sequence: number, ...ids: string[]) =>
    group(
      sequence,
      ids.map((id) => event(id)),
    );

  test('the first of each id is kept, within the batch and against what has landed', () => {
    const batch = batchOf([some(1, 'a', 'b', 'a'), some(2, 'c', 'b')]);
    const { accepted } = decideBatch(batch, [false, false, false, true, false]);
    expect(accepted).toEqual([true, true, false, false, false]);
    expect(acceptedIds(batch, accepted)).toEqual(['a', 'b']);
  });

  test('an id of the batch before is a repeat, though that one has not landed yet', () => {
    const before = decideBatch(batchOf([some(1, 'a', 'b', 'a')]), [false, true, false]);
    expect(
      decideBatch(batchOf([some(2, 'b', 'c', 'a', 'c')]), [false, false, false, false], before.ids).accepted,
    ).toEqual([...[false, true, false, false]]);
  });

  test('two accounts never collide', () => {
    const batch = batchOf([group(1, [event('a', 'acct_1'), event('a', 'acct_2')])]);
    expect(decideBatch(batch, nothingLanded(batch)).accepted).toEqual([true, true]);
  });

  test('any split into batches keeps the same events, however late each one lands', () => {
    const split = fc.array(fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e')), { minLength: 1 });
    fc.assert(
      fc.property(split, fc.infiniteStream(fc.boolean()), (groups, isAhead) => {
        const landed = new Set<string>();
        const kept: string[] = [];
        let [before, landing]: [ReturnType<typeof decideBatch> | undefined, string[]] = [undefined, []];
        groups.forEach((ids, i) => {
          const land = () => {
            for (const id of landing) landed.add(id);
          };
          // Decided ahead: what the batch before brings cannot be found yet.
          const decidedAhead = isAhead.next().value;
          if (!decidedAhead) land();
          const batch = batchOf([some(i + 1, ...ids)]);
          const hasLanded = ids.map((id) => landed.has(id));
          land();
          before = decideBatch(batch, hasLanded, before?.ids);
          landing = acceptedIds(batch, before.accepted);
          kept.push(...landing);
        });
        expect(kept).toEqual([...new Set(groups.flat())]);
      }),
      { seed: 20261122 },
    );
  });

  test('a claim holds the decision, and who takes over lands exactly that', () => {
    const batch = batchOf([
      group(7, [event('a'), event('a'), event('b', 'acct_2', 1)]),
      group(9, [event('c', 'acct_1', 1)]),
    ]);
    const { accepted } = decideBatch(batch, nothingLanded(batch));
    const claim = parseClaim(JSON.stringify(claimOf(batch, accepted, { epoch: 1, partition: 0, id: 'w' })));
    expect(claim).toMatchObject({ from: 7, to: 9, events: 4, dead: [], received_at: HOUR + 5 });
    expect(claim.counts).toEqual([
      { account_id: 'acct_1', hour: 0, accepted: 2, repeated: 1 },
      { account_id: 'acct_2', hour: HOUR, accepted: 1, repeated: 0 },
      { account_id: 'acct_1', hour: HOUR, accepted: 1, repeated: 0 },
    ]);
    expect(acceptedIds(batch, acceptedByClaim(batch, claim))).toEqual(['a', 'b', 'c']);
    expect(() => acceptedByClaim(batchOf([group(7, [event('a')])]), claim)).toThrow();
  });
});

describe('batches', () => {
  const sized = (sequence: number, tallies: string[], bytes = 100): ReadGroup => {
    const rows = noUsageRows();
    return { sequence, bytes, rows, fingerprints: new Uint32Array(), tallies, receivedAt: 0 };
  };

  test('end at rows, bytes, or when the counts would grow too many', () => {
    const many = (n: number) => Array.from({ length: n }, () => '0 acct_1');
    expect(messagesOfOneBatch([sized(1, many(40_000)), sized(2, many(20_000)), sized(3, many(1))])).toBe(2);
    expect(messagesOfOneBatch([sized(1, [], 20 * 2 ** 20), sized(2, [])])).toBe(1);
    const accounts = Array.from({ length: 2_000 }, (_, i) => `0 acct_${i}`);
    expect(messagesOfOneBatch([sized(1, accounts), sized(2, [])])).toBe(1);
    expect(messagesOfOneBatch([sized(1, many(1)), sized(2, many(1))])).toBe(2);
    expect(messagesOfOneBatch(Array.from({ length: 30_000 }, (_, i) => sized(i + 1, [])))).toBe(20_000);
  });

  const VERSIONS: [string, (events: UsageEvent[]) => Buffer][] = [
    ['1', encodeMessageV1],
    ['2', (events) => encodeUsageMessage(events.map(encodeUsageEvent))],
  ];
  test.each(VERSIONS)('a message of version %s becomes rows with their place', (_version, messageOf) => {
    const [first, second] = [event('i', 'acct_1', 2), event('ï'.repeat(200), 'acct_2', 1)];
    const sequence = 2 ** 22 * 5 + 7;
    const read = readGroup({ sequence, data: messageOf([first, second]) }, 4);
    expect(read.tallies).toEqual([`${2 * HOUR} acct_1`, `${HOUR} acct_2`]);
    expect(read.receivedAt).toBe(2 * HOUR + 5);
    const position = BigInt(sequence) * 1024n;
    expect(readRows(read.rows)).toEqual([
      { ...first, fingerprint: fingerprintOf('acct_1', 'i'), position, epoch: 4 },
      { ...second, fingerprint: fingerprintOf('acct_2', second.idempotencyId), position: position + 1n, epoch: 4 },
    ]);
    expect(read.fingerprints).toEqual(
      wordsOf(fingerprintOf('acct_1', 'i'), fingerprintOf('acct_2', second.idempotencyId)),
    );
  });

  test('a message that cannot be read becomes a dead letter', () => {
    expect(readGroup({ sequence: 4, data: new Uint8Array([33]) }, 4)).toMatchObject({
      tallies: [],
      undecodable: { sequence: 4, reason: 'not_json' },
    });
  });
});

/** A number whose every bit depends on all of `n` (the last step of MurmurHash3). */
function mixed(n: number): number {
  let hash = Math.imul(n ^ (n >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Fingerprints as a list of words. */
function wordsOf(...fingerprints: string[]): Uint32Array {
  const bytes = fingerprints.map((fingerprint) => Buffer.from(fingerprint, 'hex').reverse());
  return new Uint32Array(new Uint8Array(Buffer.concat(bytes)).buffer);
}

describe('the set of ids', () => {
  test('is exact, with ids that differ in one word alone', () => {
    const word = fc.integer({ min: 0, max: 2 });
    const ids = fc.array(fc.tuple(word, word, word, word), { maxLength: 80 });
    fc.assert(
      fc.property(ids, ids, (added, others) => {
        const set = createIdSet(added.length);
        const known = new Set<string>();
        for (const id of added) {
          expect(set.add(new Uint32Array([9, ...id]), 1)).toBe(!known.has(String(id)));
          known.add(String(id));
        }
        expect(set.size()).toBe(known.size);
        for (const id of others) expect(set.has(new Uint32Array(id), 0)).toBe(known.has(String(id)));
      }),
      { seed: 20261122 },
    );
  });

  test('takes no more than it has room for', () => {
    const set = createIdSet(1);
    set.add(new Uint32Array([1, 2, 3, 4]), 0);
    expect(set.add(new Uint32Array([1, 2, 3, 4]), 0)).toBe(false);
    expect(() => set.add(new Uint32Array([1, 2, 3, 5]), 0)).toThrow();
    expect(createIdSet(0).has(new Uint32Array(4), 0)).toBe(false);
  });
});

describe('the filter over landed ids', () => {
  test('knows every id it was given, grows, and is seldom wrong about others', () => {
    const filter = createIdFilter(0);
    // As even as fingerprints, and made in a tenth of the time.
    const idOf = (i: number) => new Uint32Array([mixed(i), mixed(i + 2 ** 30), mixed(i + 2 ** 31), 1]);
    for (let i = 0; i < 1_100_000; i++) filter.add(idOf(i), 0);
    let [missed, wrong] = [0, 0];
    for (let i = 0; i < 1_100_000; i += 10) if (!filter.mayHave(idOf(i), 0)) missed += 1;
    for (let i = 0; i < 100_000; i++) if (filter.mayHave(idOf(2_000_000 + i), 0)) wrong += 1;
    expect(missed).toBe(0);
    expect(wrong / 100_000).toBeLessThan(0.005);
    expect(filter.size()).toBe(1_100_000);
    expect(filter.bytes()).toBeLessThan(7_000_000);
  });

  test('keeps to its budget, and then still knows every id', () => {
    const budget = 2_000_000;
    const filter = createIdFilter(0, budget);
    const idOf = (i: number) => new Uint32Array([i * 7, i * 31, i * 2_654_435_761, 1]);
    for (let i = 0; i < 2_000_000; i++) filter.add(idOf(i), 0);
    let missed = 0;
    for (let i = 0; i < 2_000_000; i += 10) if (!filter.mayHave(idOf(i), 0)) missed += 1;
    expect(missed).toBe(0);
    expect(filter.bytes()).toBeLessThanOrEqual(budget);
  });
});
