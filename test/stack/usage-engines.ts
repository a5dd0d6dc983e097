import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { natsServer } from '../../local/binaries.ts';
import type { ChildProcess } from '../../local/child-process.ts';
import { ClickHouseEngine } from '../../local/engines/clickhouse.ts';
import { NatsEngine } from '../../local/engines/nats.ts';
import { findBinary } from '../../local/find-binary.ts';
import { reservePorts } from '../../local/free-ports.ts';
import { loadLauncherConfig } from '../../runtime/config.ts';
import { makeDataFolder } from './data-folder.ts';

/** NATS and ClickHouse alone, to be killed at will: each comes back by itself. */
export type UsageEngines = {
  natsUrl: string;
  clickhouseUrl: string;
  /** A free port for a process under test. */
  port: number;
  /** Ends it with SIGKILL and waits until it serves again. */
  killNats(): Promise<void>;
  killClickHouse(): Promise<void>;
  /** Stops NATS's process where it is (SIGSTOP), or lets it go on (SIGCONT): it neither answers nor goes away meanwhile. */
  signalNats(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Their processes, for what they cost. */
  natsPid(): number | null;
  clickhousePid(): number | null;
  stop(): Promise<void>;
};

const READY_MS = 240_000;
const STOP_MS = 5_000;

const running = new Set<UsageEngines>();

/** Stops those that are left, for a process that is interrupted. */
export async function stopUsageEngines(): Promise<void> {
  await Promise.all([...running].map((engines) => engines.stop()));
}

/** Starts both in a new folder. The stack tests that break engines use these, never the stack that others share. */
export async function startUsageEngines(): Promise<UsageEngines> {
  const dataDir = await makeDataFolder('meterbook-usage-');
  const { cacheDir, natsServerBin, environment } = loadLauncherConfig();
  const binary = await findBinary(natsServer, natsServerBin, { cacheDir, environment, say: () => {} });
  const reserved = await reservePorts(dataDir, 3);
  const [natsPort = 0, clickhousePort = 0, port = 0] = reserved.ports;
  const context = { dataDir, environment, observer: { say: () => {}, pidChanged: () => {} } };
  await mkdir(join(dataDir, 'logs'), { recursive: true });
  const nats = new NatsEngine(context, binary, natsPort);
  const clickhouse = new ClickHouseEngine(context, clickhousePort);
  await Promise.all([nats.start(), clickhouse.start()]);
  await Promise.all([nats.ready(READY_MS), clickhouse.ready(READY_MS)]);
  const engines: UsageEngines = {
    natsUrl: nats.url,
    clickhouseUrl: clickhouse.url,
    port,
    killNats: () => killAndAwait(nats),
    killClickHouse: () => killAndAwait(clickhouse),
    signalNats: (signal) => {
      if (nats.pid !== null) process.kill(nats.pid, signal);
    },
    natsPid: () => nats.pid,
    clickhousePid: () => clickhouse.pid,
    stop: async () => {
      running.delete(engines);
      await Promise.all([nats.stop(STOP_MS), clickhouse.stop(STOP_MS)]);
      reserved.release();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  running.add(engines);
  return engines;
}

async function killAndAwait(engine: ChildProcess) {
  const { pid } = engine;
  if (pid !== null) process.kill(pid, 'SIGKILL');
  while (engine.pid === pid) await new Promise((resolve) => setTimeout(resolve, 20));
  await engine.ready(READY_MS);
}
