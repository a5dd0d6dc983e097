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

/** NATS alone, to be killed at will: it comes back by itself. */
export type OwnNats = {
  natsUrl: string;
  /** A free port for a process under test. */
  port: number;
  /** Ends it with SIGKILL and waits until it serves again. */
  killNats(): Promise<void>;
  /** Stops NATS's process where it is (SIGSTOP), or lets it go on (SIGCONT): it neither answers nor goes away meanwhile. */
  signalNats(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Its process, for what it costs. */
  natsPid(): number | null;
  stop(): Promise<void>;
};

/** NATS and ClickHouse alone, as {@link OwnNats}. */
export type UsageEngines = OwnNats & {
  clickhouseUrl: string;
  killClickHouse(): Promise<void>;
  clickhousePid(): number | null;
};

const READY_MS = 240_000;
const STOP_MS = 5_000;

const running = new Set<OwnNats>();

/** Stops those that are left, for a process that is interrupted. */
export async function stopUsageEngines(): Promise<void> {
  await Promise.all([...running].map((engines) => engines.stop()));
}

/** Starts both in a new folder. The stack tests that break engines use these, never the stack that others share. */
export async function startUsageEngines(): Promise<UsageEngines> {
  const own = await prepareFolder();
  const clickhouse = new ClickHouseEngine(own.context, own.clickhousePort);
  return {
    ...(await startEngines(own, [clickhouse])),
    clickhouseUrl: clickhouse.url,
    killClickHouse: () => killAndAwait(clickhouse),
    clickhousePid: () => clickhouse.pid,
  };
}

/** Starts NATS alone, for tests that ask nothing of ClickHouse: its start takes five times the CPU of NATS's. */
export async function startNats(): Promise<OwnNats> {
  return startEngines(await prepareFolder(), []);
}

type OwnFolder = Awaited<ReturnType<typeof prepareFolder>>;

async function prepareFolder() {
  const dataDir = await makeDataFolder('meterbook-usage-');
  const { cacheDir, natsServerBin, environment } = loadLauncherConfig();
  const binary = await findBinary(natsServer, natsServerBin, { cacheDir, environment, say: () => {} });
  const { ports, release } = await reservePorts(dataDir, 3);
  const [natsPort = 0, clickhousePort = 0, port = 0] = ports;
  await mkdir(join(dataDir, 'logs'), { recursive: true });
  const context = { dataDir, environment, observer: { say: () => {}, pidChanged: () => {} } };
  return { context, binary, natsPort, clickhousePort, port, release };
}

async function startEngines(own: OwnFolder, others: ChildProcess[]): Promise<OwnNats> {
  const nats = new NatsEngine(own.context, own.binary, own.natsPort);
  const engines = [nats, ...others];
  await Promise.all(engines.map((engine) => engine.start()));
  await Promise.all(engines.map((engine) => engine.ready(READY_MS)));
  const started: OwnNats = {
    natsUrl: nats.url,
    port: own.port,
    killNats: () => killAndAwait(nats),
    signalNats: (signal) => {
      if (nats.pid !== null) process.kill(nats.pid, signal);
    },
    natsPid: () => nats.pid,
    stop: async () => {
      running.delete(started);
      await Promise.all(engines.map((engine) => engine.stop(STOP_MS)));
      own.release();
      await rm(own.context.dataDir, { recursive: true, force: true });
    },
  };
  running.add(started);
  return started;
}

async function killAndAwait(engine: ChildProcess) {
  const { pid } = engine;
  if (pid !== null) process.kill(pid, 'SIGKILL');
  while (engine.pid === pid) await new Promise((resolve) => setTimeout(resolve, 20));
  await engine.ready(READY_MS);
}
