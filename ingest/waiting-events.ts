import type { TraceContext } from '../runtime/tracing.ts';
import { INDEXES_PER_MESSAGE, MAX_EVENTS_PER_GROUP } from '../stream/positions.ts';
import type { Share } from './shared-room.ts';

/** Events that have one answer: single ones that came at about the same time, or a portion of a batch. */
export type Cohort = {
  encoded: Uint8Array[];
  /** Of each single event, whose room it takes; a portion takes none. */
  owners: Share[];
  bytes: number;
  traces: TraceContext[];
  expiresAt: number;
  isExpired: boolean;
  settled: PromiseWithResolvers<void>;
  timer: NodeJS.Timeout | undefined;
};

/** The portions of a batch that wait for a partition, in their order. */
export type Portions = Cohort[];

/** What waits for a partition: single events, the oldest first, and batches, in turn, none of them empty. */
export type Waiting = { cohorts: Cohort[]; batches: Portions[] };

/** Single events fill a group up to this. */
const MAX_SINGLES_BYTES = 256 * 1024;
/** Batches up to this: there is room for the largest event behind as many single ones as may be, and it is far below the server's 1 MiB. */
const MAX_GROUP_BYTES = 640 * 1024;

/** A batch is stored in portions of at most this (of one event, however large): as much as one puts into a group before the next has its turn. */
const PORTION = { events: 64, bytes: 32 * 1024 };

export function newCohort(expiresAt: number): Cohort {
  const settled = Promise.withResolvers<void>();
  return { encoded: [], owners: [], bytes: 0, traces: [], expiresAt, isExpired: false, settled, timer: undefined };
}

/** Whether a cohort of single events takes no more. */
export function isFull({ encoded, bytes }: Cohort): boolean {
  return encoded.length >= MAX_EVENTS_PER_GROUP || bytes >= MAX_SINGLES_BYTES;
}

/** The events of a batch in portions. `trace`: the place of their request in its trace, if any. */
export function portionsOf(rows: readonly Uint8Array[], expiresAt: number, trace: TraceContext | null): Portions {
  const portions: Portions = [];
  let portion: Cohort | undefined;
  for (const row of rows) {
    if (!portion || portion.encoded.length >= PORTION.events || portion.bytes + row.length > PORTION.bytes) {
      portion = newCohort(expiresAt);
      portions.push(portion);
    }
    portion.encoded.push(row);
    portion.bytes += row.length;
  }
  if (trace !== null) portions[0]?.traces.push(trace);
  return portions;
}

/**
 * Takes what goes together from what waits: single events first, the oldest and as many as may fill a group; then portions of the batches in
 * turn, for which room is always left, so that no stream of single events keeps them waiting.
 */
export function takeGroup({ cohorts, batches }: Waiting): Cohort[] {
  const group: Cohort[] = [];
  let [events, bytes] = [0, 0];
  const take = (cohort: Cohort | undefined, maxEvents: number, maxBytes: number) => {
    if (!cohort) return false;
    const isRoom = events + cohort.encoded.length <= maxEvents && bytes + cohort.bytes <= maxBytes;
    if (!isRoom && group.length > 0) return false;
    group.push(cohort);
    events += cohort.encoded.length;
    bytes += cohort.bytes;
    return true;
  };
  while (take(cohorts[0], MAX_EVENTS_PER_GROUP, MAX_SINGLES_BYTES)) cohorts.shift();
  while (take(batches[0]?.[0], INDEXES_PER_MESSAGE, MAX_GROUP_BYTES)) passTurn(batches);
  return group;
}

/** Drops the first portion of the first batch, whose next one waits for its turn. */
function passTurn(batches: Portions[]): void {
  const batch = batches.shift();
  batch?.shift();
  if (batch && batch.length > 0) batches.push(batch);
}

/** Single events that wait. */
export function countWaiting({ cohorts }: Waiting): number {
  return cohorts.reduce((sum, { encoded }) => sum + encoded.length, 0);
}
