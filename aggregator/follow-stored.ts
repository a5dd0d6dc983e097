import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamConnection } from '../stream/connection.ts';
import { storedSubject } from '../stream/subjects.ts';

export type StoredFollower = {
  /** The highest sequence that has been told (0: none yet). */
  newest(): number;
  /** Resolves when the next message is told, or after `timeoutMs`. Rejects when stopped. */
  next(timeoutMs: number): Promise<void>;
};

/** The header by which the server names the message that it tells of. */
const SEQUENCE = 'Nats-Sequence';

/**
 * Hears of a partition's messages as they are stored, until `signal`. The server tells each at most once, and none to who is away
 * or on a stream of an older release: who waits looks for itself as well.
 */
export function followStored({ nats }: StreamConnection, partition: number, signal: AbortSignal): StoredFollower {
  let newest = 0;
  let told = Promise.withResolvers<void>();
  const subscription = nats.subscribe(storedSubject(partition), {
    callback: (error, message) => {
      if (error) return;
      newest = Math.max(newest, Number(message.headers?.get(SEQUENCE)));
      told.resolve();
      told = Promise.withResolvers();
    },
  });
  signal.addEventListener('abort', () => subscription.unsubscribe(), { once: true });
  return {
    newest: () => newest,
    next: (timeoutMs) => Promise.race([told.promise, sleep(timeoutMs, undefined, { signal })]),
  };
}
