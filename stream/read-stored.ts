import type { StoredMsg } from '@nats-io/jetstream';
import type { StreamConnection } from './connection.ts';

export type ReadLimits = { maxMessages: number; maxBytes: number };

/** Silence in the middle of an answer that is this long means that the rest will not come. */
const SILENCE_MS = 3_000;

/**
 * Reads stored messages of one subject in order, from stream sequence `from` on: at most `maxMessages` and about
 * `maxBytes`. An empty answer means that nothing is there yet.
 * @throws when the stream is away, or the answer was cut off or lacks a message; what arrived before may be asked for again.
 */
export async function readStored(
  connection: StreamConnection,
  stream: string,
  subject: string,
  from: number,
  limits: ReadLimits,
): Promise<StoredMsg[]> {
  const messages: StoredMsg[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new Error(`The stream ${stream} went silent.`)), SILENCE_MS);
  const answer = await connection.jsm.direct.getBatch(stream, {
    seq: from,
    next_by_subj: subject,
    batch: limits.maxMessages,
    max_bytes: limits.maxBytes,
    callback: (done, message: StoredMsg) => {
      if (done) return done.err && !isNothingThere(done.err) ? reject(done.err) : resolve();
      timer.refresh();
      // Each names the one before it in this answer: what a reconnect has lost in the middle would be passed over for good.
      const before = messages.at(-1)?.seq ?? 0;
      if (message.lastSequence !== before) {
        return reject(new Error(`The stream ${stream} answered with a gap between ${before} and ${message.seq}.`));
      }
      messages.push(message);
    },
  });
  try {
    await promise;
    return messages;
  } finally {
    clearTimeout(timer);
    answer.stop();
  }
}

/** 404: no message at or above the sequence. */
function isNothingThere(error: Error): boolean {
  return 'code' in error && error.code === 404;
}
