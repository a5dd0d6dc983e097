import { setTimeout as sleep } from 'node:timers/promises';
import type { Instant } from '../core/instants.ts';
import type { Clock } from '../runtime/clock.ts';
import type { StreamConnection } from './connection.ts';
import { followLandings, type LandedMap } from './follow-landings.ts';
import { endOfMessage, type Position, sequenceOf } from './positions.ts';
import { loadLastSequence, loadUsageStream } from './streams.ts';
import { USAGE_STREAM, usageSubject } from './subjects.ts';

/** What has been accepted, and how much of it queries can see. All of it throws when the stream is away. */
export type UsageProgress = {
  /** A position that no event accepted so far lies above; every event answered with 200 before the call is at or below. */
  lastAcceptedPosition(): Promise<Position>;
  /** A position at or below which every accepted event can be queried; never below one that it has told before. */
  landedPosition(): Promise<Position>;
  /** Whether everything up to `position` could be queried within `timeoutMs` (0: ask once). */
  waitUntilLanded(position: Position, timeoutMs: number): Promise<boolean>;
  /**
   * The time up to which accepted events are included in queries that begin after the call, also before it has answered: the
   * call's, or when the first was stored that had not landed then.
   */
  asOf(): Promise<Instant>;
  /** {@link landedPosition} and {@link asOf} of one moment: accepted by then means at or below that position. */
  landed(): Promise<{ position: Position; asOf: Instant }>;
  /** Messages accepted but not landed yet, and for how long the oldest of them has waited. */
  lag(): Promise<{ messages: number; seconds: number }>;
  /** The newest landed message of each partition (0: none), as this process has heard: by now it may be a later one. */
  landedSequences(): { epoch: number; sequences: number[] };
  close(): void;
};

/** Landings are pushed; this is how often a waiter looks for itself, should one have been missed. */
const RECHECK_MS = 250;

/** Follows the landings of all partitions; needs the streams to exist. */
export async function followProgress(connection: StreamConnection, clock: Clock): Promise<UsageProgress> {
  const { partitions, epoch } = await loadUsageStream(connection.jsm);
  const landings = await followLandings(connection, partitions);
  /** What was once told as landed stays so, also while a partition that was silent until then has a message that waits. */
  let highest = 0;

  const lastSequence = () => loadLastSequence(connection.jsm);

  /** Partitions in which a message at or below `sequence` has not landed, each with the newest one that has. */
  async function lagging(sequence: number, known: LandedMap): Promise<Map<number, number>> {
    const needed = await neededSequences(connection, known, partitions, sequence);
    const late = [...needed].filter(([p, need]) => known.sequenceOf(p) < need);
    return new Map(late.map(([p]) => [p, known.sequenceOf(p)]));
  }

  async function waitUntilLanded(position: Position, timeoutMs: number): Promise<boolean> {
    const sequence = Math.min(sequenceOf(position), await lastSequence());
    const needed = await neededSequences(connection, landings.landed, partitions, sequence);
    const isLanded = () => [...needed].every(([p, need]) => landings.landed.sequenceOf(p) >= need);
    const deadline = performance.now() + timeoutMs;
    while (!isLanded()) {
      const left = deadline - performance.now();
      if (left <= 0) return false;
      if (await landings.nextLanding(Math.min(left, RECHECK_MS))) continue;
      await landings.reload().catch(() => sleep(RECHECK_MS));
    }
    return true;
  }

  async function landedSequence(known: LandedMap) {
    const last = await lastSequence();
    const late = await lagging(last, known);
    highest = Math.max(highest, Math.min(last, ...late.values()));
    return { landed: highest, last, late };
  }

  /** When the oldest message was stored that has not landed; undefined when all have. */
  async function oldestWaiting(late: Map<number, number>, known: LandedMap): Promise<Instant | undefined> {
    const times = [...late].map(async ([p, landed]) => {
      const after = { seq: landed + 1, next_by_subj: usageSubject(p) };
      const message = await connection.jsm.direct.getMessage(USAGE_STREAM, after);
      return message ? message.time.getTime() : known.receivedAt(p);
    });
    return late.size === 0 ? undefined : Math.min(...(await Promise.all(times)));
  }

  async function landed(known: LandedMap) {
    const asked = clock.now();
    const { landed: sequence, late } = await landedSequence(known);
    return { position: endOfMessage(sequence), asOf: (await oldestWaiting(late, known)) ?? asked };
  }

  return {
    lastAcceptedPosition: async () => endOfMessage(await lastSequence()),
    landedPosition: async () => endOfMessage((await landedSequence(landings.landed)).landed),
    waitUntilLanded,
    asOf: async () => (await landed(landings.landedNow())).asOf,
    landed: () => landed(landings.landed),
    lag: async () => {
      const { landed, last, late } = await landedSequence(landings.landed);
      const waitsSince = await oldestWaiting(late, landings.landed);
      const seconds = waitsSince === undefined ? 0 : Math.max(0, clock.now() - waitsSince) / 1000;
      return { messages: Math.max(0, last - landed), seconds };
    },
    landedSequences: () => {
      const sequences = Array.from({ length: partitions }, (_, p) => landings.landed.sequenceOf(p));
      return { epoch, sequences };
    },
    close: landings.close,
  };
}

/**
 * Up to which sequence each partition must have landed, so that all up to `sequence` has. A partition that is behind may
 * simply have no later message: then its last one is enough. Asked of the stream's leader.
 */
async function neededSequences(
  connection: StreamConnection,
  landed: LandedMap,
  partitions: number,
  sequence: number,
): Promise<Map<number, number>> {
  const behind = Array.from({ length: partitions }, (_, p) => p).filter((p) => landed.sequenceOf(p) < sequence);
  const needed = await Promise.all(
    behind.map(async (p): Promise<[number, number]> => {
      if (partitions === 1) return [p, sequence];
      const last = await connection.jsm.streams.getMessage(USAGE_STREAM, { last_by_subj: usageSubject(p) });
      return [p, Math.min(last?.seq ?? 0, sequence)];
    }),
  );
  return new Map(needed);
}
