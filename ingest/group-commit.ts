import { unavailable } from '../core/domain-error.ts';
import { currentTraceContext, type TraceContext } from '../runtime/tracing.ts';
import { createSharedRoom } from './shared-room.ts';
import { type Cohort, countWaiting, isFull, newCohort, portionsOf, takeGroup, type Waiting } from './waiting-events.ts';

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

/** Encoded events of one request by their partition, each partition's in the order in which they were sent. */
export type EncodedBatch = ReadonlyMap<number, readonly Uint8Array[]>;

export type GroupCommit = {
  /**
   * Resolves when the event is stored. Rejects with DomainError `unavailable` (503), about {@link GroupCommitLimits.deadlineMs}
   * after the event came at the latest, when it may not be; if its group was under way it may be stored all the same: then the caller's
   * repeat counts once.
   */
  add(partition: number, encodedEvent: Uint8Array, sender: Sender): Promise<void>;
  /**
   * Likewise for the events of a request that came `waitedMs` milliseconds ago, {@link GroupCommitLimits.batchDeadlineMs} after that: where it
   * rejects none, some or all of them may be stored. How much of them is in memory is for the caller to bound.
   */
  addBatch(batch: EncodedBatch, waitedMs: number): Promise<void>;
  /** Bytes that wait or are under way. */
  heldBytes(): number;
  /** Single events that wait. */
  waitingEvents(): number;
};

/** `heldBytes`: of single events that wait or are under way, beyond which the stream is too slow for its senders. */
export type GroupCommitLimits = { deadlineMs: number; batchDeadlineMs: number; heldBytes: number };

/** With {@link COHORT_MS} an answer is there within 2 s of an event, within 5 s of a batch. */
const LIMITS: GroupCommitLimits = { deadlineMs: 1_900, batchDeadlineMs: 4_900, heldBytes: 64 * 2 ** 20 };

/** What an event costs in memory besides its own bytes. */
const EVENT_BYTES = 256;

/** How much earlier or later than at its deadline an event may be refused, since those that came together are refused together. */
const COHORT_MS = 100;

/** What the store gets at least: its answer is worth having, though who waited longest may not wait for it. */
const MIN_TIMEOUT_MS = 250;

/** `lastMs`: how long the last group took to be stored; 0 where it was not. */
type Partition = Waiting & { number: number; isStoring: boolean; lastMs: number };

/**
 * Many events, one message: an event waits for at most the one store that is under way, and all events that came in the
 * meantime go together in the next. At low load a group has one event and nothing waits. An event that cannot be stored in its
 * time is dropped: its sender has been told to come again, and what is stored then need not be stored twice. Batches go in
 * portions, beside single events and after them, so that these do not wait for them.
 */
export function createGroupCommit(
  store: StoreGroup,
  onStored: (events: number) => void,
  { deadlineMs, batchDeadlineMs, heldBytes }: GroupCommitLimits = LIMITS,
): GroupCommit {
  const partitions = new Map<number, Partition>();
  const room = createSharedRoom(heldBytes);
  let batchBytes = 0;

  /** The partition that something is added to, which is woken. */
  function partitionFor(number: number): Partition {
    const known = partitions.get(number);
    const partition = known ?? { number, cohorts: [], batches: [], isStoring: false, lastMs: 0 };
    if (!known) partitions.set(number, partition);
    // Not at once: the requests that were read together from the network go together.
    if (isIdle(partition)) setImmediate(storeNext, partition);
    return partition;
  }

  function add(number: number, encoded: Uint8Array, { accountId, waitedMs = 0 }: Sender): Promise<void> {
    const share = room.take(accountId, encoded.length + EVENT_BYTES);
    if (!share) return Promise.reject(tooMany());
    const cohort = cohortFor(partitionFor(number), performance.now() + deadlineMs - waitedMs);
    cohort.encoded.push(encoded);
    cohort.owners.push(share);
    cohort.bytes += encoded.length;
    const trace = currentTraceContext();
    if (trace !== null) cohort.traces.push(trace);
    return cohort.settled.promise;
  }

  /** The cohort that an event joins which has to be answered by `expiresAt`. */
  function cohortFor(partition: Partition, expiresAt: number): Cohort {
    const last = partition.cohorts.at(-1);
    if (last && !isFull(last) && Math.abs(expiresAt - last.expiresAt) < COHORT_MS) return last;
    const cohort = newCohort(expiresAt);
    cohort.timer = setTimeout(expire, Math.max(0, expiresAt - performance.now()), partition, cohort);
    partition.cohorts.push(cohort);
    return cohort;
  }

  async function addBatch(batch: EncodedBatch, waitedMs: number): Promise<void> {
    const expiresAt = performance.now() + batchDeadlineMs - waitedMs;
    const parts = [...batch].map(([number, rows]) => {
      const partition = partitionFor(number);
      const waiting = portionsOf(rows, expiresAt, currentTraceContext());
      if (waiting.length > 0) partition.batches.push(waiting);
      // What is taken from those that wait is awaited all the same.
      return { partition, waiting, portions: [...waiting] };
    });
    const portions = parts.flatMap((part) => part.portions);
    const bytes = portions.reduce((sum, portion) => sum + portion.bytes, 0);
    const giveUp = (error: unknown) => {
      for (const { partition, waiting } of parts)
        partition.batches = partition.batches.filter((one) => one !== waiting);
      for (const portion of portions) portion.settled.reject(error);
    };
    const timer = setTimeout(() => giveUp(notStored()), Math.max(0, expiresAt - performance.now()));
    batchBytes += bytes;
    try {
      await Promise.all(portions.map(({ settled }) => settled.promise));
    } catch (error) {
      // Whatever else of it waits, in other partitions too.
      giveUp(error);
      throw error;
    } finally {
      clearTimeout(timer);
      batchBytes -= bytes;
    }
    onStored(portions.reduce((sum, { encoded }) => sum + encoded.length, 0));
  }

  function expire(partition: Partition, cohort: Cohort) {
    const at = partition.cohorts.indexOf(cohort);
    if (at >= 0) partition.cohorts.splice(at, 1);
    // What is under way is held by whoever stores it.
    if (at >= 0) release(cohort);
    cohort.isExpired = true;
    cohort.settled.reject(notStored());
  }

  function release({ encoded, owners, timer }: Cohort) {
    clearTimeout(timer);
    for (const [i, share] of owners.entries()) room.release(share, (encoded[i]?.length ?? 0) + EVENT_BYTES);
  }

  /** A group that would be stored too late for its senders only makes those behind it late as well. */
  function dropLate(partition: Partition, now: number) {
    const isLate = ({ expiresAt }: Cohort) => expiresAt < now + partition.lastMs;
    for (const late of partition.cohorts.filter(isLate)) expire(partition, late);
    partition.batches = partition.batches.filter(([first]) => {
      if (!first || !isLate(first)) return true;
      // The refusal of one portion is the whole batch's.
      first.settled.reject(notStored());
      return false;
    });
  }

  async function storeNext(partition: Partition) {
    if (partition.isStoring) return;
    const begunAt = performance.now();
    dropLate(partition, begunAt);
    const group = takeGroup(partition);
    if (group.length === 0) return;
    partition.isStoring = true;
    const encoded = group.flatMap((cohort) => cohort.encoded);
    const traces = group.flatMap((cohort) => cohort.traces);
    const timeLeft = Math.max(...group.map(({ expiresAt }) => expiresAt)) - begunAt;
    try {
      await store(partition.number, encoded, Math.max(MIN_TIMEOUT_MS, timeLeft), traces);
      partition.lastMs = Math.min(performance.now() - begunAt, deadlineMs / 2);
      onStored(group.reduce((sum, { isExpired, owners }) => sum + (isExpired ? 0 : owners.length), 0));
      for (const cohort of group) cohort.settled.resolve();
    } catch (error) {
      partition.lastMs = 0;
      // The stream is away: whoever is still waiting would only wait longer for the same answer.
      group.push(...partition.cohorts.splice(0), ...partition.batches.splice(0).flat());
      for (const cohort of group) cohort.settled.reject(notStored(error));
    }
    for (const cohort of group) release(cohort);
    partition.isStoring = false;
    if (!isIdle(partition)) void storeNext(partition);
  }

  return {
    add,
    addBatch,
    heldBytes: () => room.taken() + batchBytes,
    waitingEvents: () => [...partitions.values()].reduce((sum, partition) => sum + countWaiting(partition), 0),
  };
}

/** Whether nothing waits, and nothing is under way that would look for what waits. */
function isIdle({ cohorts, batches, isStoring }: Partition): boolean {
  return cohorts.length === 0 && batches.length === 0 && !isStoring;
}

function tooMany() {
  return unavailable('Too many events of the account are waiting to be stored. Try again.');
}

function notStored(cause?: unknown) {
  return Object.assign(unavailable('The event could not be stored in time. Try again.'), { cause });
}
