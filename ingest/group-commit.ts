import { unavailable } from '../billing/domain-error.ts';
import { currentTraceContext, type TraceContext } from '../runtime/tracing.ts';
import { MAX_EVENTS_PER_GROUP } from '../stream/positions.ts';

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

export type GroupCommit = {
  /**
   * Resolves when the event is stored. Rejects with DomainError `unavailable` (503) when it may not be; it may be stored
   * all the same: then the caller's repeat counts once.
   */
  add(partition: number, encodedEvent: Uint8Array): Promise<void>;
};

/** A group is closed when it has reached this; with the limit of a body it stays far below the server's 1 MiB. */
const MAX_GROUP_BYTES = 256 * 1024;

/** From its arrival an event is stored or refused within about this (contract 4 allows 3 s for the whole request). */
const DEADLINE_MS = 2_000;

/** What a group gets at least, however long its oldest event has been waiting. */
const MIN_TIMEOUT_MS = 250;

/** More waiting events than this are refused at once: the stream is slower than their senders. */
const MAX_WAITING = 50_000;

/** Events that are stored together; the promise is that of each of them. */
type Group = {
  encoded: Uint8Array[];
  bytes: number;
  traces: TraceContext[];
  /** Since when its first event waits. */
  openedAt: number;
  settled: PromiseWithResolvers<void>;
};
/** `groups`: those that wait, the oldest first; events join the last one until it is full. */
type Partition = { groups: Group[]; waiting: number; isStoring: boolean };

/**
 * Many events, one message: an event waits for at most the one store that is under way, and all events that came in the
 * meantime go together in the next (design 4). At low load a group has one event and nothing waits.
 */
export function createGroupCommit(store: StoreGroup, onStored: (events: number) => void): GroupCommit {
  const partitions = new Map<number, Partition>();

  function partitionAt(number: number): Partition {
    const known = partitions.get(number);
    if (known) return known;
    const partition = { groups: [], waiting: 0, isStoring: false };
    partitions.set(number, partition);
    return partition;
  }

  function add(number: number, encoded: Uint8Array): Promise<void> {
    const partition = partitionAt(number);
    if (partition.waiting >= MAX_WAITING) return Promise.reject(tooSlow());
    // Not at once: the requests that were read together from the network go together.
    if (partition.waiting === 0 && !partition.isStoring) setImmediate(storeNext, number, partition);
    const group = openGroup(partition.groups);
    group.encoded.push(encoded);
    group.bytes += encoded.length;
    const trace = currentTraceContext();
    if (trace !== null) group.traces.push(trace);
    partition.waiting += 1;
    return group.settled.promise;
  }

  async function storeNext(number: number, partition: Partition) {
    if (partition.isStoring) return;
    const group = partition.groups.shift();
    if (!group) return;
    partition.waiting -= group.encoded.length;
    partition.isStoring = true;
    try {
      const timeoutMs = Math.max(MIN_TIMEOUT_MS, DEADLINE_MS - (performance.now() - group.openedAt));
      await store(number, group.encoded, timeoutMs, group.traces);
      onStored(group.encoded.length);
      group.settled.resolve();
    } catch (error) {
      // The stream is away: whoever is still waiting would only wait longer for the same answer.
      const failed = [group, ...partition.groups.splice(0)];
      partition.waiting = 0;
      for (const { settled } of failed) settled.reject(notStored(error));
    }
    partition.isStoring = false;
    if (partition.waiting > 0) void storeNext(number, partition);
  }

  return { add };
}

/** The group that the next event joins. */
function openGroup(groups: Group[]): Group {
  const last = groups.at(-1);
  if (last && last.encoded.length < MAX_EVENTS_PER_GROUP && last.bytes < MAX_GROUP_BYTES) return last;
  const group: Group = {
    encoded: [],
    bytes: 0,
    traces: [],
    openedAt: performance.now(),
    settled: Promise.withResolvers<void>(),
  };
  groups.push(group);
  return group;
}

function tooSlow() {
  return unavailable('Too many events are waiting to be stored. Try again.');
}

function notStored(cause: unknown) {
  return Object.assign(unavailable('The event could not be stored in time. Try again.'), { cause });
}
