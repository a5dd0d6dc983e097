import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../runtime/clock.ts';
import { createLog } from '../../runtime/log.ts';
import type { Landing } from '../../stream/claims.ts';
import type { StreamConnection } from '../../stream/connection.ts';
import { confirmClaim, FenceLost, loadPartitionState, publishClaim, publishLanding } from '../../stream/landings.ts';
import { endOfMessage } from '../../stream/positions.ts';
import { followProgress, type UsageProgress } from '../../stream/progress.ts';
import { ensureStreams } from '../../stream/streams.ts';
import { readUsageGroups } from '../../stream/usage-groups.ts';
import { durabilityTold } from '../stack/durability.ts';
import { type OwnNats, startNats } from '../stack/usage-engines.ts';
import { patientStream } from './patient-stream.ts';

const PARTITIONS = 3;
const SETTINGS = { usagePartitions: PARTITIONS, usageStreamMaxBytes: 2 ** 26, streamReplicas: 1 };
const log = createLog('test', 'silent');
/** Only ends what would never land. */
const LANDS_MS = 120_000;

let nats: OwnNats;
let connection: StreamConnection;
let progress: UsageProgress;

beforeAll(async () => {
  nats = await startNats();
  connection = await patientStream(nats.natsUrl);
  await ensureStreams(connection.jsm, SETTINGS);
  progress = await followProgress(connection, systemClock);
});
afterAll(async () => {
  progress.close();
  await connection.close();
  await nats.stop();
});

const landing = (partition: number, to: number, writer = 'w'): Landing => {
  return { v: 1, epoch: 1, partition, to, received_at: 1_000 * to, writer };
};
const newest = new Map<number, number>();
async function land(partition: number, to: number) {
  newest.set(partition, await publishLanding(connection, landing(partition, to), newest.get(partition) ?? 0, log));
}
const store = async (partition: number) => (await connection.js.publish(`usage.${partition}`, 'x')).seq;

describe('progress over partitions', () => {
  test('nothing accepted: everything has landed, as of now', async () => {
    const before = systemClock.now();
    const position = await progress.lastAcceptedPosition();
    expect(await progress.waitUntilLanded(position, 0)).toBe(true);
    expect(await progress.asOf()).toBeGreaterThanOrEqual(before);
    expect(await progress.lag()).toEqual({ messages: 0, seconds: 0 });
  });

  test('a position has landed when each partition has landed what it has at or below it', async () => {
    const first = await store(0);
    const second = await store(1);
    const position = await progress.lastAcceptedPosition();
    expect(position).toBe(endOfMessage(second));
    expect(await progress.waitUntilLanded(position, 0)).toBe(false);
    expect(await progress.asOf()).toBeLessThanOrEqual(systemClock.now());
    expect((await progress.lag()).messages).toBeGreaterThan(0);
    await land(1, second);
    expect(await progress.waitUntilLanded(position, 100)).toBe(false);
    await land(0, first);
    expect(await progress.waitUntilLanded(position, LANDS_MS)).toBe(true);
    expect(await progress.landedPosition()).toBe(position);
  });

  test('as of when it was asked: what lands before the answer may not be in a query that began before', async () => {
    const sequence = await store(0);
    const stored = systemClock.now();
    await sleep(10);
    const asked = progress.asOf();
    await land(0, sequence);
    expect(await asked).toBeLessThanOrEqual(stored);
    expect(await progress.waitUntilLanded(endOfMessage(sequence), LANDS_MS)).toBe(true);
    expect(await progress.asOf()).toBeGreaterThan(stored);
  });

  test('what a partition gets later is not waited for once it has landed what it had before', async () => {
    const sequence = await store(2);
    await land(2, sequence);
    const position = await progress.lastAcceptedPosition();
    const later = await store(2);
    expect(await progress.waitUntilLanded(position, 0)).toBe(true);
    expect(await progress.landedPosition()).toBeLessThan(endOfMessage(later));
    await land(2, later);
    expect(await progress.landedPosition()).toBe(endOfMessage(later));
  });

  test('what has been told as landed is not taken back when a partition that was silent gets a message', async () => {
    const silent = await store(1);
    await land(1, silent);
    const told = await store(2);
    await land(2, told);
    expect(await progress.waitUntilLanded(endOfMessage(told), LANDS_MS)).toBe(true);
    expect(await progress.landedPosition()).toBe(endOfMessage(told));
    const later = await store(1);
    expect(await progress.landedPosition()).toBe(endOfMessage(told));
    await land(1, later);
    expect(await progress.waitUntilLanded(endOfMessage(later), LANDS_MS)).toBe(true);
  });

  test('a waiter is woken by the landing, and gives up when its time is over', async () => {
    const sequence = await store(0);
    const position = await progress.lastAcceptedPosition();
    const started = performance.now();
    expect(await progress.waitUntilLanded(position, 300)).toBe(false);
    expect(performance.now() - started).toBeGreaterThan(290);
    const waiting = progress.waitUntilLanded(position, 30_000);
    await land(0, sequence);
    const landedAt = performance.now();
    expect(await waiting).toBe(true);
    // Long before its time is over, on a machine that may be busy.
    expect(performance.now() - landedAt).toBeLessThan(10_000);
  });

  test('a server that was killed in between changes nothing', async () => {
    const sequence = await store(1);
    await nats.killNats();
    await land(1, sequence);
    await expect.poll(() => progress.lastAcceptedPosition().catch(() => 0n)).not.toBe(0n);
    expect(await progress.waitUntilLanded(await progress.lastAcceptedPosition(), LANDS_MS)).toBe(true);
  });

  test('a partition is read in order, without the others', async () => {
    const own = [await store(2)];
    await store(0);
    own.push(await store(2), await store(2));
    const read = await readUsageGroups(connection, 2, own[0] ?? 0, { maxMessages: 10, maxBytes: 2 ** 20 });
    expect(read.map(({ sequence }) => sequence)).toEqual(own);
    const some = await readUsageGroups(connection, 2, 1, { maxMessages: 2, maxBytes: 2 ** 20 });
    expect(some).toHaveLength(2);
    expect(await readUsageGroups(connection, 2, 10_000, { maxMessages: 2, maxBytes: 100 })).toEqual([]);
  });
});

describe('the fence', () => {
  const claim = { v: 1, epoch: 1, partition: 2, from: 1, to: 2, events: 0, accepted: '', dead: [] } as const;
  const mine = { ...claim, dead: [], received_at: 0, writer: 'a', counts: [] };

  test('who is second loses; one’s own lost answer is recognised', async () => {
    const { claimSequence: before } = await loadPartitionState(connection, 2);
    const sequence = await publishClaim(connection, mine, before, log);
    expect(await publishClaim(connection, mine, before, log)).toBe(sequence);
    await expect(publishClaim(connection, { ...mine, writer: 'b' }, before, log)).rejects.toBeInstanceOf(FenceLost);
    await confirmClaim(connection, mine, sequence);
    const next = await publishClaim(connection, { ...mine, from: 3, to: 4, writer: 'b' }, sequence, log);
    await expect(confirmClaim(connection, mine, sequence)).rejects.toBeInstanceOf(FenceLost);
    expect(await loadPartitionState(connection, 2)).toMatchObject({
      claimSequence: next,
      claim: { to: 4, writer: 'b' },
    });
  });
});

test('the number of partitions is the stream’s own, whatever is asked later; its size follows the settings', async () => {
  const stream = await ensureStreams(connection.jsm, { ...SETTINGS, usagePartitions: 9, usageStreamMaxBytes: 2 ** 27 });
  expect(stream).toEqual({ partitions: PARTITIONS, epoch: 1 });
  expect(await durabilityTold(connection, { ...SETTINGS, usageStreamMaxBytes: 2 ** 27 })).toEqual({
    problems: [],
    unverified: [],
  });
});
