import type { StoredMsg } from '@nats-io/jetstream';
import type { StreamConnection } from './connection.ts';
import { REPLAY_OF } from './dead-letters.ts';
import { USAGE_STREAM, usageSubject } from './subjects.ts';

/** One stored message of the usage stream, undecoded. `isReplay`: it comes from the dead letters. */
export type UsageGroup = { sequence: number; data: Uint8Array; isReplay?: boolean };

/** Silence in the middle of an answer that is this long means that the rest will not come. */
const SILENCE_MS = 3_000;

/**
 * Reads stored groups of a partition in order, from stream sequence `from` on: at most `maxMessages` and about `maxBytes`.
 * There is no consumer on the server and nothing to acknowledge: the landed position is the only place a reader keeps,
 * so every restart, reconnect and takeover simply reads again. An empty answer means that nothing is there yet.
 * @throws when the stream is away or the answer was cut off; what arrived before may be asked for again.
 */
export async function readUsageGroups(
  connection: StreamConnection,
  partition: number,
  from: number,
  limits: { maxMessages: number; maxBytes: number },
): Promise<UsageGroup[]> {
  const groups: UsageGroup[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new Error('The usage stream went silent.')), SILENCE_MS);
  const answer = await connection.jsm.direct.getBatch(USAGE_STREAM, {
    seq: from,
    next_by_subj: usageSubject(partition),
    batch: limits.maxMessages,
    max_bytes: limits.maxBytes,
    callback: (done, message: StoredMsg) => {
      if (done) return done.err && !isNothingThere(done.err) ? reject(done.err) : resolve();
      timer.refresh();
      groups.push({ sequence: message.seq, data: message.data, isReplay: message.header.has(REPLAY_OF) });
    },
  });
  try {
    await promise;
    return groups;
  } finally {
    clearTimeout(timer);
    answer.stop();
  }
}

/** 404: no message at or above the sequence. */
function isNothingThere(error: Error): boolean {
  return 'code' in error && error.code === 404;
}
