import { unavailable } from '../core/domain-error.ts';
import { currentTraceContext, type TraceContext } from '../runtime/tracing.ts';
import { MAX_EVENTS_PER_GROUP } from '../stream/positions.ts';
import { createSharedRoom, type Share } from './shared-room.ts';

/**
 * Stores one group of encoded events of a partition on disk; rejects when that is not certain within `timeoutMs`. `traces`: the
 * places of their requests in their traces, if any.
 */
export type StoreGroup = (
  partition: number,
  encodedEvents: Uint8Array[],
  timeoutMs: number,
  traces: TraceContext[],
) => Promise<void>;

/** Whose event it is, and how many milliseconds ago it came. */
export type Sender = { accountId: string; waitedMs?: number };

export type GroupCommit = {
  /**
   * Resolves when the event is stored. Rejects with DomainError `unavailable` (503), about {@link GroupCommitLimits.deadlineMs}
   * after the event came at the latest, when it may not be; if its group was under way it may be stored all the same: then the caller's
   * repeat counts once.
   */
  add(partition: number, encodedEvent: Uint8Array, sender: Sender): Promise<void>;
  /** Bytes that wait or are under way. */
  heldBytes(): number;
  /** Events that wait. */
  waitingEvents(): number;
};

/** A group is closed when it has reached this; with the limit of a body it stays far below the server's 1 MiB. */
const MAX_GROUP_BYTES = 256 * 1024;

/** `heldBytes`: of events that wait or are under way, beyond which the stream is too slow for its senders. */
export type GroupCommitLimits = { deadlineMs: number; heldBytes: number };

/** With {@link COHORT_MS} an answer is there within 2 s of the event. */
const LIMITS: GroupCommitLimits = { deadlineMs: 1_900, heldBytes: 64 * 2 ** 20 };

/** What an event costs in memory besides its own bytes. */
const EVENT_BYTES = 256;

/** How much earlier or later than at its deadline an event may be refused, since those that came together are refused together. */
const COHORT_MS = 100;

/** What the store gets at least: its answer is worth having, though who waited longest may not wait for it. */
const MIN_TIMEOUT_MS = 250;

/** Events that came at about the same time and have one answer. */
type Cohort = {
  encoded: Uint8Array[];
  owners: Share[];
  bytes: number;
  traces: TraceContext[];
  expiresAt: number;
  isExpired: boolean;
  settled: PromiseWithResolvers<void>;
  timer: NodeJS.Timeout | undefined;
};
/** `waiting`: the oldest first. `lastMs`: how long the last group took to be stored; 0 where it was not. */
type Partition = { waiting: Cohort[]; isStoring: boolean; lastMs: number };

/**
 * Many events, one message: an event waits for at most the one store that is under way, and all events that came in the
 * meantime go together in the next. At low load a group has one event and nothing waits. An event that cannot be stored in its
 * time is dropped: its sender has been told to come again, and what is stored then need not be stored twice.
 */
export function createGroupCommit(
  store: StoreGroup,
  onStored: (events: number) => void,
  { deadlineMs, heldBytes }: GroupCommitLimits = LIMITS,
): GroupCommit {
  const partitions = new Map<number, Partition>();
  const room = createSharedRoom(heldBytes);

  function partitionAt(number: number): Partition {
    const known = partitions.get(number);
    if (known) return known;
    const partition = { waiting: [], isStoring: false, lastMs: 0 };
    partitions.set(number, partition);
    return partition;
  }

  function add(number: number, encoded: Uint8Array, { accountId, waitedMs = 0 }: Sender): Promise<void> {
    const share = room.take(accountId, encoded.length + EVENT_BYTES);
    if (!share) return Promise.reject(tooMany());
    const partition = partitionAt(number);
    // Not at once: the requests that were read together from the network go together.
    if (partition.waiting.length === 0 && !partition.isStoring) setImmediate(storeNext, number, partition);
    const cohort = cohortFor(partition, performance.now() + deadlineMs - waitedMs);
    cohort.encoded.push(encoded);
    cohort.owners.push(share);
    cohort.bytes += encoded.length;
    const trace = currentTraceContext();
    if (trace !== null) cohort.traces.push(trace);
    return cohort.settled.promise;
  }

  /** The cohort that an event joins which has to be answered by `expiresAt`. */
  function cohortFor(partition: Partition, expiresAt: number): Cohort {
    const last = partition.waiting.at(-1);
    if (last && !isFull(last.encoded.length, last.bytes)) {
      if (Math.abs(expiresAt - last.expiresAt) < COHORT_MS) return last;
    }
    const cohort = newCohort(expiresAt);
    cohort.timer = setTimeout(expire, Math.max(0, expiresAt - performance.now()), partition, cohort);
    partition.waiting.push(cohort);
    return cohort;
  }

  function expire(partition: Partition, cohort: Cohort) {
    const at = partition.waiting.indexOf(cohort);
    if (at >= 0) partition.waiting.splice(at, 1);
    // What is under way is held by whoever stores it.
    if (at >= 0) release(cohort);
    cohort.isExpired = true;
    cohort.settled.reject(notStored());
  }

  function release({ encoded, owners, timer }: Cohort) {
    clearTimeout(timer);
    for (const [i, share] of owners.entries()) room.release(share, (encoded[i]?.length ?? 0) + EVENT_BYTES);
  }

  async function storeNext(number: number, partition: Partition) {
    if (partition.isStoring) return;
    const begunAt = performance.now();
    // A group that would be stored too late for its senders only makes those behind it late as well.
    for (const late of partition.waiting.filter((one) => one.expiresAt < begunAt + partition.lastMs))
      expire(partition, late);
    const group = takeGroup(partition.waiting);
    const newest = group.at(-1);
    if (!newest) return;
    partition.isStoring = true;
    const encoded = group.flatMap((cohort) => cohort.encoded);
    const traces = group.flatMap((cohort) => cohort.traces);
    try {
      await store(number, encoded, Math.max(MIN_TIMEOUT_MS, newest.expiresAt - begunAt), traces);
      partition.lastMs = Math.min(performance.now() - begunAt, deadlineMs / 2);
      onStored(group.reduce((sum, cohort) => sum + (cohort.isExpired ? 0 : cohort.encoded.length), 0));
      for (const cohort of group) cohort.settled.resolve();
    } catch (error) {
      partition.lastMs = 0;
      // The stream is away: whoever is still waiting would only wait longer for the same answer.
      for (const cohort of partition.waiting.splice(0)) group.push(cohort);
      for (const cohort of group) cohort.settled.reject(notStored(error));
    }
    for (const cohort of group) release(cohort);
    partition.isStoring = false;
    if (partition.waiting.length > 0) void storeNext(number, partition);
  }

  function waitingEvents() {
    const cohorts = [...partitions.values()].flatMap((partition) => partition.waiting);
    return cohorts.reduce((sum, { encoded }) => sum + encoded.length, 0);
  }

  return { add, heldBytes: room.taken, waitingEvents };
}

function isFull(events: number, bytes: number): boolean {
  return events >= MAX_EVENTS_PER_GROUP || bytes >= MAX_GROUP_BYTES;
}

function newCohort(expiresAt: number): Cohort {
  const settled = Promise.withResolvers<void>();
  return { encoded: [], owners: [], bytes: 0, traces: [], expiresAt, isExpired: false, settled, timer: undefined };
}

/** Takes what goes together from those that wait: as many as a group has room for, the oldest first, and one at least. */
function takeGroup(waiting: Cohort[]): Cohort[] {
  let [taken, events, bytes] = [0, 0, 0];
  for (const cohort of waiting) {
    events += cohort.encoded.length;
    bytes += cohort.bytes;
    if (taken > 0 && (events > MAX_EVENTS_PER_GROUP || bytes > MAX_GROUP_BYTES)) break;
    taken += 1;
  }
  return waiting.splice(0, taken);
}

function tooMany() {
  return unavailable('Too many events of the account are waiting to be stored. Try again.');
}

function notStored(cause?: unknown) {
  return Object.assign(unavailable('The event could not be stored in time. Try again.'), { cause });
}
