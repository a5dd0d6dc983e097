import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { DomainError } from '../../billing/domain-error.ts';
import { createGroupCommit, type StoreGroup } from '../../ingest/group-commit.ts';

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

describe('group commit', () => {
  test('one event at low load is a group of its own', async () => {
    const { groups, store, given } = storeByHand();
    let accepted = 0;
    const added = createGroupCommit(store, (n) => {
      accepted += n;
    }).add(0, Buffer.from('a'));
    await given(1);
    expect(groups.map(({ events }) => events)).toEqual([['a']]);
    groups[0]?.stored();
    await added;
    expect(accepted).toBe(1);
  });

  test('what comes while a group is being stored goes together in the next, in order', async () => {
    const { groups, store, given } = storeByHand();
    const commit = createGroupCommit(store, () => {});
    void commit.add(0, Buffer.from('a'));
    await given(1);
    const later = ['b', 'c', 'd'].map((event) => commit.add(0, Buffer.from(event)));
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
    for (let i = 0; i < 600; i++) void commit.add(0, Buffer.from('x'));
    for (let i = 0; i < 10; i++) void commit.add(1, Buffer.from('y'.repeat(60_000)));
    await given(2);
    expect(groups.find(({ partition }) => partition === 0)?.events).toHaveLength(512);
    expect(groups.find(({ partition }) => partition === 1)?.events).toHaveLength(5);
  });

  test('partitions do not wait for each other', async () => {
    const { groups, store, given } = storeByHand();
    const commit = createGroupCommit(store, () => {});
    void commit.add(0, Buffer.from('a'));
    const other = commit.add(1, Buffer.from('b'));
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
    const failing = [commit.add(0, Buffer.from('a')), commit.add(0, Buffer.from('b'))];
    await given(1);
    failing.push(commit.add(0, Buffer.from('c')));
    groups[0]?.fail(new Error('the stream is away'));
    for (const one of await Promise.allSettled(failing)) {
      expect(one.status === 'rejected' && one.reason).toBeInstanceOf(DomainError);
      expect(one.status === 'rejected' && one.reason.code).toBe('unavailable');
    }
    const next = commit.add(0, Buffer.from('d'));
    await given(2);
    groups[1]?.stored();
    await next;
    expect(accepted).toBe(1);
  });

  test('the time an event has waited counts against its group', async () => {
    const { groups, store, given } = storeByHand();
    const commit = createGroupCommit(store, () => {});
    const begun = performance.now();
    void commit.add(0, Buffer.from('a'));
    await given(1);
    expect(groups[0]?.timeoutMs).toBeGreaterThan(1_750 - (performance.now() - begun));
    void commit.add(0, Buffer.from('b'));
    await sleep(300);
    groups[0]?.stored();
    await given(2);
    expect(groups[1]?.timeoutMs).toBeLessThan(1_750);
  });
});
