import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../runtime/log.ts';
import type { StreamConnection } from '../stream/connection.ts';
import { readUsageGroups } from '../stream/usage-groups.ts';
import { type Batch, batchOf, type ReadGroup, readGroup } from './batch.ts';
import { followStored } from './follow-stored.ts';

/** A batch is closed when it has reached one of these (the last message may go beyond). */
const MAX_ROWS = 50_000;
/** A claim names those that are dead, beside its counts, and must fit into one message of the stream. */
const MAX_MESSAGES = 20_000;
/** Long events: an insert stays a small part of ClickHouse's memory. */
const MAX_BYTES = 16 * 2 ** 20;
/** Accounts times hours: a claim has counts for each. */
const MAX_TALLIES = 2_000;

/**
 * Batches start at least so far apart, which bounds the parts that ClickHouse has to merge; an event that comes after a
 * pause lands at once.
 */
const BATCH_INTERVAL_MS = 200;

/** Between two looks for a message that was told of, and for the end of the batch that lands. */
const POLL_MS = 15;

/** Messages are told of as they are stored; this is how often an idle reader looks for itself, should one have been missed. */
const RECHECK_MS = 250;

const PER_READ = { maxMessages: 1_000, maxBytes: 4 * 2 ** 20 };

const RETRY_MS = 200;

export type BatchReader = {
  /**
   * The next batch: a full one as soon as there is one, a smaller one not before `isFree` says that it can land at once.
   * Reads only while it is asked. Rejects only when stopped.
   */
  next(isFree: () => boolean): Promise<Batch>;
};

/** A reader of a partition, in order from stream sequence `from` on; it keeps trying while the stream is away. */
export function createBatchReader(
  source: { connection: StreamConnection; partition: number; epoch: number; log: Log; signal: AbortSignal },
  from: number,
): BatchReader {
  const { connection, partition, epoch, log, signal } = source;
  const stored = followStored(connection, partition, signal);
  const groups: ReadGroup[] = [];
  let [rows, bytes] = [0, 0];
  let nextSequence = from;
  let lastBatchAt = -BATCH_INTERVAL_MS;
  const isFull = () => rows >= MAX_ROWS || bytes >= MAX_BYTES;

  /** Until a batch is full, or everything that is there has been read. */
  async function readOn() {
    for (let isThereMore = true; isThereMore && !isFull(); ) {
      const read = await readUsageGroups(connection, partition, nextSequence, PER_READ);
      let size = 0;
      for (const stored of read) {
        const { trace } = stored;
        const group = { ...readGroup(stored, epoch), ...(trace && { trace }) };
        groups.push(group);
        rows += group.tallies.length;
        size += group.bytes;
        nextSequence = group.sequence + 1;
      }
      bytes += size;
      isThereMore = read.length === PER_READ.maxMessages || size > PER_READ.maxBytes / 2;
    }
  }

  /** As {@link readOn}, or a while later nothing. */
  async function tryToReadOn() {
    await readOn().catch(async (error) => {
      signal.throwIfAborted();
      log.warn({ err: error, partition }, 'the usage stream cannot be read, trying again');
      await sleep(RETRY_MS, undefined, { signal });
    });
  }

  /** Until there may be more to read, or what has been read may be taken. */
  async function rest(left: number): Promise<void> {
    // A replica that has not yet got what was told of may have answered.
    const isIdle = groups.length === 0 && stored.newest() < nextSequence;
    if (isIdle) return stored.next(RECHECK_MS);
    await sleep(groups.length > 0 && left > 0 ? left : POLL_MS, undefined, { signal });
  }

  async function next(isFree: () => boolean): Promise<Batch> {
    const earliest = lastBatchAt + BATCH_INTERVAL_MS;
    for (;;) {
      await tryToReadOn();
      const left = earliest - performance.now();
      if (isFull() || (groups.length > 0 && left <= 0 && isFree())) break;
      await rest(left);
    }
    lastBatchAt = performance.now();
    const taken = groups.splice(0, messagesOfOneBatch(groups));
    for (const group of taken) {
      rows -= group.tallies.length;
      bytes -= group.bytes;
    }
    return batchOf(taken);
  }

  return { next };
}

/** How many of the waiting messages make the next batch: at least one. */
export function messagesOfOneBatch(groups: readonly ReadGroup[]): number {
  const tallies = new Set<string>();
  let [count, rows, bytes] = [0, 0, 0];
  for (const group of groups) {
    count += 1;
    rows += group.tallies.length;
    bytes += group.bytes;
    let last = '';
    for (const tally of group.tallies) {
      if (tally !== last) tallies.add(tally);
      last = tally;
    }
    if (count >= MAX_MESSAGES || rows >= MAX_ROWS || bytes >= MAX_BYTES || tallies.size >= MAX_TALLIES) break;
  }
  return count;
}
