import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DomainError } from '../../core/domain-error.ts';
import { createGroupCommit, type StoreGroup } from '../../ingest/group-commit.ts';
import { createSharedRoom, type Share } from '../../ingest/shared-room.ts';

/** A store whose groups are answered by hand. */
function storeByHand() {
  const groups: { partition: number; events: string[]; timeoutMs: number; stored(): void; fail(error: Error): void }[] =
    [];
  const store: StoreGroup = (partition, events, timeoutMs) =>
    new Promise((stored, fail) => groups.push({ partition, events: events.map(String), timeoutMs, stored, fail }));
  /** Resolves when `count` groups have been given to the store. */
  const given = async (count: number) => {
    while (groups.length < count) await sleep(1);
  };
  return { groups, store, given };
}

const [ANN, BOB] = [{ accountId: 'ann' }, { accountId: 'bob' }];

/** Nobody waits for it. */
const left = (added: Promise<void>) => void added.catch(() => undefined);

/** What became of each event: 'stored', or the code that it was refused with. */
const outcomes = (added: Promise<void>[]) =>
  Promise.all(
    added.map((one) =>
      one.then(
        () => 'stored',
        (error: unknown) => (error instanceof DomainError ? error.code : error),
      ),
    ),
  );

describe('group commit', () => {
  test('one event at low load is a group of its own', async () => {
    const { groups, store, given } = storeByHand();
    let accepted = 0;
    const added = createGroupCommit(store, (n) => {
      accepted += n;
    }).add(0, Buffer.from('a'), ANN);
    await given(1);
    expect(groups.map(({ events }) => events)).toEqual([['a']]);
    groups[0]?.stored();
    await added;
    expect(accepted).toBe(1);
  });

  test('what comes while a group is being stored goes together in the next, in order', async () => {
    const { groups, store, given } = storeByHand();
    const commit = createGroupCommit(store, () => {});
    left(commit.add(0, Buffer.from('a'), ANN));
    await given(1);
    const later = ['b', 'c', 'd'].map((event) => commit.add(0, Buffer.from(event), ANN));
    await sleep(5);
    expect(groups).toHaveLength(1);
    groups[0]?.stored();
    await given(2);
    expect(groups[1]?.events).toEqual(['b', 'c', 'd']);
    groups[1]?.stored();
    await Promise.all(later);
  });

  test('a group has at most 512 events, or about 256 KiB', async () => {
    const { groups, store, given } = storeByHand();
    const commit = createGroupCommit(store, () => {});
    for (let i = 0; i < 600; i++) left(commit.add(0, Buffer.from('x'), ANN));
    for (let i = 0; i < 10; i++) left(commit.add(1, Buffer.from('y'.repeat(60_000)), ANN));
    await given(2);
    expect(groups.find(({ partition }) => partition === 0)?.events).toHaveLength(512);
    expect(groups.find(({ partition }) => partition === 1)?.events).toHaveLength(5);
  });

  test('partitions do not wait for each other', async () => {
    const { groups, store, given } = storeByHand();
    const commit = createGroupCommit(store, () => {});
    left(commit.add(0, Buffer.from('a'), ANN));
    const other = commit.add(1, Buffer.from('b'), ANN);
    await given(2);
    groups.find(({ partition }) => partition === 1)?.stored();
    await other;
  });

  test('a group that fails is refused as a whole, and so is who waits behind it; the next event is tried again', async () => {
    const { groups, store, given } = storeByHand();
    let accepted = 0;
    const commit = createGroupCommit(store, (n) => {
      accepted += n;
    });
    const failing = [commit.add(0, Buffer.from('a'), ANN), commit.add(0, Buffer.from('b'), ANN)];
    await given(1);
    failing.push(commit.add(0, Buffer.from('c'), ANN));
    groups[0]?.fail(new Error('the stream is away'));
    for (const one of await Promise.allSettled(failing)) {
      expect(one.status === 'rejected' && one.reason).toBeInstanceOf(DomainError);
      expect(one.status === 'rejected' && one.reason.code).toBe('unavailable');
    }
    const next = commit.add(0, Buffer.from('d'), ANN);
    await given(2);
    groups[1]?.stored();
    await next;
    expect(accepted).toBe(1);
  });

  test('the store gets the time that its newest event has left', async () => {
    const { groups, store, given } = storeByHand();
    const commit = createGroupCommit(store, () => {}, { deadlineMs: 60_000, batchDeadlineMs: 60_000, heldBytes: 1e6 });
    left(commit.add(0, Buffer.from('a'), { ...ANN, waitedMs: 20_000 }));
    await given(1);
    expect(groups[0]?.timeoutMs).toBeLessThanOrEqual(40_000);
    left(commit.add(0, Buffer.from('b'), { ...ANN, waitedMs: 50_000 }));
    left(commit.add(0, Buffer.from('c'), ANN));
    groups[0]?.stored();
    await given(2);
    expect([groups[1]?.events, (groups[1]?.timeoutMs ?? 0) > 40_000]).toEqual([['b', 'c'], true]);
  });
});

describe('a batch', () => {
  const rows = (name: string, count: number, bytes = 1) =>
    Array.from({ length: count }, (_, i) => Buffer.from(`${name}${i}`.padEnd(bytes, '-')));
  const countOf = (events: string[], name: string) => events.filter((event) => event.startsWith(name)).length;

  test('waits behind single events, a portion of it at least in each group, and others of its kind have their turns', async () => {
    const { groups, store, given } = storeByHand();
    let accepted = 0;
    const commit = createGroupCommit(store, (n) => {
      accepted += n;
    });
    const first = commit.addBatch(new Map([[0, rows('a', 2_000)]]), 0);
    await given(1);
    expect(groups[0]?.events).toHaveLength(1_024);
    const second = commit.addBatch(new Map([[0, rows('b', 100)]]), 0);
    const singles = rows('s', 600).map((event) => commit.add(0, event, ANN));
    groups[0]?.stored();
    await given(2);
    const { events = [] } = groups[1] ?? {};
    expect([countOf(events, 's'), countOf(events, 'a'), countOf(events, 'b')]).toEqual([512, 384, 100]);
    expect(events[0]).toBe('s0');
    for (let i = 1; i < 3; i++) {
      groups[i]?.stored();
      await given(Math.min(i + 2, 3));
    }
    await Promise.all([first, second, ...singles]);
    const all = groups.flatMap((group) => group.events);
    expect(all.filter((event) => event.startsWith('a'))).toEqual(rows('a', 2_000).map(String));
    expect([all.length, accepted]).toEqual([2_700, 2_700]);
  });

  test('640 KiB of a batch go together at most', async () => {
    const { groups, store, given } = storeByHand();
    const commit = createGroupCommit(store, () => {});
    left(commit.addBatch(new Map([[0, rows('a', 100, 16_384)]]), 0));
    await given(1);
    expect(groups[0]?.events).toHaveLength(40);
  });

  test('single events leave room for batches in each group, however large they are', async () => {
    const { groups, store, given } = storeByHand();
    const commit = createGroupCommit(store, () => {});
    for (const event of rows('s', 6, 60_000)) left(commit.add(0, event, ANN));
    left(commit.addBatch(new Map([[0, rows('a', 6, 60_000)]]), 0));
    await given(1);
    expect(groups[0]?.events.map((event) => event.slice(0, 2))).toEqual([
      's0',
      's1',
      's2',
      's3',
      's4',
      'a0',
      'a1',
      'a2',
      'a3',
      'a4',
    ]);
  });

  test('refused as a whole where one partition fails, and the rest of it is dropped', async () => {
    const { groups, store, given } = storeByHand();
    let accepted = 0;
    const commit = createGroupCommit(store, (n) => {
      accepted += n;
    });
    const batch = commit.addBatch(
      new Map([
        [0, rows('a', 2_000)],
        [1, rows('b', 10)],
      ]),
      0,
    );
    await given(2);
    groups.find(({ partition }) => partition === 1)?.fail(new Error('the stream is away'));
    expect(await outcomes([batch])).toEqual(['unavailable']);
    groups.find(({ partition }) => partition === 0)?.stored();
    await sleep(10);
    expect([groups.length, accepted, commit.heldBytes(), commit.waitingEvents()]).toEqual([2, 0, 0, 0]);
  });

  test('answered in its time, under way or waiting', async () => {
    const { groups, store, given } = storeByHand();
    const commit = createGroupCommit(store, () => {}, { deadlineMs: 60_000, batchDeadlineMs: 100, heldBytes: 1e6 });
    const batch = commit.addBatch(new Map([[0, rows('a', 2_000)]]), 50);
    await given(1);
    const asked = performance.now();
    expect(await outcomes([batch])).toEqual(['unavailable']);
    // Long before the time of a single event, on a machine that may be busy.
    expect(performance.now() - asked).toBeLessThan(20_000);
    groups[0]?.stored();
    await sleep(10);
    expect([groups.length, commit.waitingEvents()]).toEqual([1, 0]);
  });

  test('of no events is stored', async () => {
    const commit = createGroupCommit(storeByHand().store, () => {});
    await commit.addBatch(new Map(), 0);
  });
});

describe('a store that takes too long', () => {
  const limits = { deadlineMs: 2_000, batchDeadlineMs: 60_000, heldBytes: 1e6 };
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('every event is answered in its time, under way or waiting; what waited is never stored, and nothing is held', async () => {
    const { groups, store, given } = storeByHand();
    let accepted = 0;
    const count = (n: number) => {
      accepted += n;
    };
    const commit = createGroupCommit(store, count, limits);
    const answered: string[] = [];
    const add = (event: string) =>
      commit.add(0, Buffer.from(event), ANN).catch(() => {
        answered.push(event);
      });
    const added = [add('under way')];
    await given(1);
    added.push(add('b'));
    vi.advanceTimersByTime(1_000);
    added.push(add('c'));
    vi.advanceTimersByTime(1_000);
    await added[1];
    expect(answered).toEqual(['under way', 'b']);
    vi.advanceTimersByTime(1_000);
    await Promise.all(added);
    expect([answered, groups.length]).toEqual([['under way', 'b', 'c'], 1]);
    // What is under way is still in memory; it is stored in the end, and was refused.
    expect(commit.heldBytes()).toBe('under way'.length + 256);
    groups[0]?.stored();
    while (commit.heldBytes() > 0) await sleep(1);
    const next = commit.add(0, Buffer.from('d'), ANN);
    await given(2);
    expect(groups[1]?.events).toEqual(['d']);
    groups[1]?.stored();
    await next;
    expect([accepted, commit.heldBytes()]).toEqual([1, 0]);
  });

  test('an event that came before its sender was known has less time', async () => {
    const { store, given } = storeByHand();
    const commit = createGroupCommit(store, () => {}, limits);
    const late = outcomes([commit.add(0, Buffer.from('a'), { ...ANN, waitedMs: 1_500 })]);
    await given(1);
    vi.advanceTimersByTime(500);
    expect(await late).toEqual(['unavailable']);
  });

  test('who would not be stored in time makes nobody behind late: it is refused before, and not stored', async () => {
    const { groups, store, given } = storeByHand();
    const commit = createGroupCommit(store, () => {}, limits);
    left(commit.add(0, Buffer.from('slow'), ANN));
    await given(1);
    const both = outcomes([
      commit.add(0, Buffer.from('almost late'), { ...ANN, waitedMs: 1_300 }),
      commit.add(0, Buffer.from('in time'), ANN),
    ]);
    vi.advanceTimersByTime(400);
    groups[0]?.stored();
    await given(2);
    expect(groups[1]?.events).toEqual(['in time']);
    groups[1]?.stored();
    expect(await both).toEqual(['unavailable', 'stored']);
  });
});

describe('held bytes', () => {
  test('one account that sends too much is refused, and others go on', async () => {
    const { groups, store, given } = storeByHand();
    const commit = createGroupCommit(store, () => {}, {
      deadlineMs: 60_000,
      batchDeadlineMs: 60_000,
      heldBytes: 100_000,
    });
    const many = Array.from({ length: 200 }, () => commit.add(0, Buffer.from('x'.repeat(1_000)), ANN));
    const others = Array.from({ length: 10 }, () => commit.add(0, Buffer.from('y'.repeat(1_000)), BOB));
    expect(commit.heldBytes()).toBeLessThanOrEqual(100_000);
    const settled = outcomes([...many, ...others]);
    for (let i = 1; commit.heldBytes() > 0; i++) {
      await given(i);
      groups[i - 1]?.stored();
      await sleep(5);
    }
    const all = await settled;
    const stored = all.slice(0, 200).filter((one) => one === 'stored').length;
    // Half of the room is its own.
    expect(stored).toBe(Math.ceil(50_000 / 1_256));
    expect(all.slice(200)).toEqual(Array.from({ length: 10 }, () => 'stored'));
  });

  test('what never fits is refused at once', async () => {
    const { store } = storeByHand();
    const commit = createGroupCommit(store, () => {}, {
      deadlineMs: 60_000,
      batchDeadlineMs: 60_000,
      heldBytes: 1_000,
    });
    expect(await outcomes([commit.add(0, Buffer.from('x'.repeat(1_000)), ANN)])).toEqual(['unavailable']);
  });

  test('whatever is taken and given back: never more than there is, and always room for another', () => {
    const steps = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 1, max: 400 }), fc.boolean()));
    fc.assert(
      fc.property(steps, (taken) => {
        const room = createSharedRoom(1_000);
        const held: { share: Share; bytes: number }[] = [];
        for (const [accountId, bytes, releases] of taken) {
          const last = releases ? held.shift() : undefined;
          if (last) room.release(last.share, last.bytes);
          const share = room.take(accountId, bytes);
          if (share) held.push({ share, bytes });
          const sum = held.reduce((all, one) => all + one.bytes, 0);
          expect(room.taken()).toBe(sum);
          if (share) expect(share.bytes).toBeLessThanOrEqual(1_000 - sum + bytes);
        }
        for (const one of held) room.release(one.share, one.bytes);
        expect([room.taken(), room.take('d', 500)?.bytes]).toEqual([0, 500]);
      }),
    );
  });
});
