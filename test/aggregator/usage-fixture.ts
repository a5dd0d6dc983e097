import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import { systemClock } from '../../runtime/clock.ts';
import { createClickHouse, createClickHouseDatabase } from '../../sql/clickhouse/clickhouse.ts';
import { migrateClickHouse } from '../../sql/migrate.ts';
import type { StreamConnection } from '../../stream/connection.ts';
import { fingerprintOf } from '../../stream/fingerprint.ts';
import { followProgress, type UsageProgress } from '../../stream/progress.ts';
import { ensureStreams } from '../../stream/streams.ts';
import { partitionOf, usageSubject } from '../../stream/subjects.ts';
import type { UsageEvent } from '../../stream/usage-event.ts';
import { encodeUsageMessage } from '../../stream/usage-message.ts';
import { encodeUsageEvent } from '../../stream/usage-row.ts';
import { startUsageEngines, type UsageEngines } from '../stack/usage-engines.ts';
import { encodeMessageV1 } from '../stream/messages-v1.ts';
import { patientStream } from '../stream/patient-stream.ts';

/** Engines, streams and tables, and what a test needs to send events and count what landed. */
export type UsageFixture = {
  engines: UsageEngines;
  connection: StreamConnection;
  clickhouse: ClickHouseClient;
  progress: UsageProgress;
  /**
   * Sends ids as groups of `size`, each event in another month than the one before it and so much larger, and remembers which
   * ids there are.
   */
  publish(ids: string[], size?: number, filling?: number): Promise<void>;
  /** Starts a landing process (landing-process.ts). */
  startLanding(options?: Record<string, string | true>): LandingProcess;
  /** Ends those that still run, so that a failed test does not land events beside the next one. */
  endLanding(): Promise<void>;
  waitUntilAllLanded(): Promise<void>;
  /** What landed, and what should have. Ids are a set: a writer that is overtaken within its insert may note one again. */
  totals(): Promise<{ events: number; distinct: number; ids: number; expected: number }>;
  stop(): Promise<void>;
};

export type LandingProcess = {
  child: ChildProcess;
  /** Resolves with its code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals>;
  kill(signal?: NodeJS.Signals): void;
};

/** The code of landing-process.ts when another writer has taken over. */
export const FENCE_LOST = 3;

export const ACCOUNT = 'acct_test';
const LANDED_MS = 90_000;
/** In which events happen: a release before had a partition for each, and so a part for each of every insert. */
const MONTHS = 3;

/** `migrations`: ClickHouse's schema of an older release that had run just these. */
export async function startUsageFixture(
  partitions = 1,
  usageStreamMaxBytes = 2 ** 28,
  migrations?: readonly string[],
): Promise<UsageFixture> {
  const engines = await startUsageEngines();
  const connection = await patientStream(engines.natsUrl);
  await ensureStreams(connection.jsm, { usagePartitions: partitions, usageStreamMaxBytes, streamReplicas: 1 });
  await createClickHouseDatabase(engines.clickhouseUrl);
  const clickhouse = createClickHouse(engines.clickhouseUrl);
  await migrateClickHouse(clickhouse, undefined, migrations);
  const progress = await followProgress(connection, systemClock);
  const expected = new Set<string>();
  const running = new Set<LandingProcess>();

  async function publish(ids: string[], size = 50, filling = 0) {
    for (const id of ids) expected.add(id);
    for (let partition = 0; partition < partitions; partition++) {
      const mine = ids.filter((id) => partitionOf(fingerprintOf(ACCOUNT, id), partitions) === partition);
      for (let i = 0; i < mine.length; i += size) {
        const events = mine.slice(i, i + size).map((id, n) => eventOf(id, n, filling));
        await connection.js.publish(usageSubject(partition), messageOf(events, i / size));
      }
    }
  }

  function startLanding(options: Record<string, string | true> = {}): LandingProcess {
    const all = { nats: engines.natsUrl, clickhouse: engines.clickhouseUrl, ...options };
    const args = Object.entries<string | true>(all).map(([name, value]) =>
      value === true ? `--${name}` : `--${name}=${value}`,
    );
    const main = join(import.meta.dirname, 'landing-process.ts');
    const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
    const ended = once(child, 'exit').then(([code, signal]) => (signal ?? code) as number | NodeJS.Signals);
    const landing = { child, ended, kill: (signal: NodeJS.Signals = 'SIGKILL') => void child.kill(signal) };
    running.add(landing);
    void ended.then(() => running.delete(landing));
    return landing;
  }

  async function endLanding() {
    for (const landing of running) landing.kill();
    await Promise.all([...running].map(({ ended }) => ended));
  }

  return {
    engines,
    connection,
    clickhouse,
    progress,
    publish,
    startLanding,
    endLanding,
    waitUntilAllLanded: async () => {
      const landed = await progress.waitUntilLanded(await progress.lastAcceptedPosition(), LANDED_MS);
      if (!landed) throw new Error('Not everything has landed in time.');
    },
    totals: async () => {
      const query = `SELECT (SELECT count() FROM usage_events) AS events,
        (SELECT uniqExact(account_id, idempotency_id) FROM usage_events) AS distinct,
        (SELECT uniqExact(fingerprint) FROM usage_ids) AS ids`;
      const answer = await clickhouse.query({ query, format: 'JSONEachRow' });
      const [row] = await answer.json<{ events: string; distinct: string; ids: string }>();
      const [events, distinct, ids] = [Number(row?.events), Number(row?.distinct), Number(row?.ids)];
      return { events, distinct, ids, expected: expected.size };
    },
    stop: async () => {
      await endLanding();
      progress.close();
      await connection.close();
      await clickhouse.close();
      await engines.stop();
    },
  };
}

/** Totals in which nothing is missing and nothing is there twice. */
export function exactly(expected: number) {
  return { events: expected, distinct: expected, ids: expected, expected };
}

/** Waits until a process is stopped by a signal, as `ps` shows it. */
export async function untilStopped(pid: number | undefined) {
  while (!execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('T')) await sleep(50);
}

/** Every third message is one of an earlier release. */
function messageOf(events: UsageEvent[], n: number): Buffer {
  return n % 3 === 2 ? encodeMessageV1(events) : encodeUsageMessage(events.map(encodeUsageEvent));
}

/** The event with that id which a fixture sends as the `n`th of its message. */
export function eventOf(id: string, n = 0, filling = 0): UsageEvent {
  return {
    accountId: ACCOUNT,
    customerId: `customer-${n % 7}`,
    eventName: 'call',
    timeCreated: Date.UTC(2024, n % MONTHS, 5) + n,
    idempotencyId: id,
    numbers: { n: String(n) },
    strings: { region: 'eu', ...(filling > 0 && { filling: 'x'.repeat(filling) }) },
    booleans: {},
    receivedAt: Date.UTC(2026, 10, 20) + n,
  };
}
