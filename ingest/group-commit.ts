import { unavailable } from '../billing/domain-error.ts';
import { currentTraceContext, type TraceContext } from '../runtime/tracing.ts';
import { MAX_EVENTS_PER_GROUP } from '../stream/positions.ts';

/**
 * Stores one group of encoded events of a partition on disk; rejects when that is not certain within `timeoutMs`. `traces`: the
 * places of their requests in their traces, if any.
 */
export type StoreGroup = (
  partition: number,
  encodedEvents: string[],
  timeoutMs: number,
  traces: TraceContext[],
) => Promise<void>;

export type GroupCommit = {
  /**
   * Resolves when the event is stored. Rejects with DomainError `unavailable` (503) when it may not be; it may be stored
   * all the same: then the caller's repeat counts once.
   */
  add(partition: number, encodedEvent: string): Promise<void>;
};

/** A group is closed when it has reached this; with the limit of a body it stays far below the server's 1 MiB. */
const MAX_GROUP_CHARACTERS = 256 * 1024;

/** From its arrival an event is stored or refused within about this (contract 4 allows 3 s for the whole request). */
const DEADLINE_MS = 2_000;

/** What a group gets at least, however long its oldest event has been waiting. */
const MIN_TIMEOUT_MS = 250;

/** More waiting events than this are refused at once: the stream is slower than their senders. */
const MAX_WAITING = 50_000;

type Waiting = {
  encoded: string;
  trace: TraceContext | null;
  arrivedAt: number;
  stored(): void;
  failed(error: unknown): void;
};
type Partition = { waiting: Waiting[]; isStoring: boolean };

/**
 * Many events, one message: an event waits for at most the one store that is under way, and all events that came in the
 * meantime go together in the next (design 4). At low load a group has one event and nothing waits.
 */
export function createGroupCommit(store: StoreGroup, onStored: (events: number) => void): GroupCommit {
  const partitions = new Map<number, Partition>();

  function partitionAt(number: number): Partition {
    const known = partitions.get(number);
    if (known) return known;
    const partition = { waiting: [], isStoring: false };
    partitions.set(number, partition);
    return partition;
  }

  function add(number: number, encoded: string): Promise<void> {
    const partition = partitionAt(number);
    const { waiting, isStoring } = partition;
    if (waiting.length >= MAX_WAITING) return Promise.reject(tooSlow());
    return new Promise((stored, failed) => {
      waiting.push({ encoded, trace: currentTraceContext(), arrivedAt: performance.now(), stored, failed });
      // Not at once: the requests that were read together from the network go together.
      if (waiting.length === 1 && !isStoring) setImmediate(storeNext, number, partition);
    });
  }

  async function storeNext(number: number, partition: Partition) {
    if (partition.isStoring) return;
    const group = takeGroup(partition.waiting);
    const oldest = group[0];
    if (!oldest) return;
    partition.isStoring = true;
    const waited = performance.now() - oldest.arrivedAt;
    try {
      const timeoutMs = Math.max(MIN_TIMEOUT_MS, DEADLINE_MS - waited);
      const traces = group.flatMap(({ trace }) => trace ?? []);
      await store(number, group.map(encodedOf), timeoutMs, traces);
      onStored(group.length);
      for (const event of group) event.stored();
    } catch (error) {
      // The stream is away: whoever is still waiting would only wait longer for the same answer.
      for (const event of [...group, ...partition.waiting.splice(0)]) event.failed(notStored(error));
    }
    partition.isStoring = false;
    if (partition.waiting.length > 0) void storeNext(number, partition);
  }

  return { add };
}

function encodedOf(event: Waiting): string {
  return event.encoded;
}

function takeGroup(waiting: Waiting[]): Waiting[] {
  let [count, characters] = [0, 0];
  for (const { encoded } of waiting) {
    count += 1;
    characters += encoded.length;
    if (count >= MAX_EVENTS_PER_GROUP || characters >= MAX_GROUP_CHARACTERS) break;
  }
  return waiting.splice(0, count);
}

function tooSlow() {
  return unavailable('Too many events are waiting to be stored. Try again.');
}

function notStored(cause: unknown) {
  return Object.assign(unavailable('The event could not be stored in time. Try again.'), { cause });
}
