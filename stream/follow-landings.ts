import type { Instant } from '../core/instants.ts';
import { type Landing, parseLanding } from './claims.ts';
import type { StreamConnection } from './connection.ts';
import { LANDINGS_STREAM, landedSubject } from './subjects.ts';

/** The newest landing of every partition, 0 where there is none. */
export type LandedMap = { sequenceOf(partition: number): number; receivedAt(partition: number): Instant };

export type LandingFollower = {
  landed: LandedMap;
  /** As `landed` is at this moment. */
  landedNow(): LandedMap;
  /** True as soon as a landing comes in, false after `timeoutMs` without one. */
  nextLanding(timeoutMs: number): Promise<boolean>;
  /** Reads the newest landings from the stream. Throws when it is away. */
  reload(): Promise<void>;
  close(): void;
};

/**
 * Keeps the newest landing of every partition in memory, pushed by the server as they are published. A landing says what
 * is true already, so neither a repeated one nor one that the stream then refuses can mislead.
 */
export async function followLandings(connection: StreamConnection, partitions: number): Promise<LandingFollower> {
  const newest = new Map<number, Landing>();
  const waiters = new Set<() => void>();

  function take(landing: Landing) {
    if (landing.to <= (newest.get(landing.partition)?.to ?? 0)) return;
    newest.set(landing.partition, landing);
    for (const wake of waiters) wake();
  }

  async function reload() {
    const subjects = Array.from({ length: partitions }, (_, p) => landedSubject(p));
    await Promise.all(
      subjects.map(async (subject) => {
        const message = await connection.jsm.streams.getMessage(LANDINGS_STREAM, { last_by_subj: subject });
        if (message) take(parseLanding(message.string()));
      }),
    );
  }

  function nextLanding(timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const finish = (came: boolean) => {
        clearTimeout(timer);
        waiters.delete(wake);
        resolve(came);
      };
      const wake = () => finish(true);
      const timer = setTimeout(() => finish(false), timeoutMs);
      waiters.add(wake);
    });
  }

  const subscription = connection.nats.subscribe('landed.*', {
    callback: (error, message) => {
      if (!error) take(parseLanding(message.string()));
    },
  });
  void reloadOnReconnect(connection, reload);
  await reload();
  return {
    landed: mapOf(newest),
    landedNow: () => mapOf(new Map(newest)),
    nextLanding,
    reload,
    close: () => subscription.unsubscribe(),
  };
}

function mapOf(newest: ReadonlyMap<number, Landing>): LandedMap {
  return {
    sequenceOf: (partition) => newest.get(partition)?.to ?? 0,
    receivedAt: (partition) => newest.get(partition)?.received_at ?? 0,
  };
}

/** Landings published while we were away were not pushed to us. */
async function reloadOnReconnect(connection: StreamConnection, reload: () => Promise<void>) {
  for await (const status of connection.nats.status()) {
    if (status.type === 'reconnect') await reload().catch(() => {});
  }
}
