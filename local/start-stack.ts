import { mkdirSync, realpathSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { privateWebhooksOf } from '../runtime/variables/outbound-variables.ts';
import { chainHeadsFile } from './chain-heads-file.ts';
import type { ChildObserver, ChildProcess } from './child-process.ts';
import { ensureEncryptionKeys } from './encryption-keys.ts';
import type { EngineContext } from './engines/engine.ts';
import { listenError, reservePorts } from './free-ports.ts';
import { endLeftovers } from './leftovers.ts';
import { type Holder, lockDirectory } from './lock-directory.ts';
import type { NameLock } from './name-lock.ts';
import { closingsAtOnce, OUR_PROGRAMS, type OurName, ourProcess, type Programs } from './our-processes.ts';
import { ownHost } from './own-names.ts';
import { processorsFile } from './processors-file.ts';
import { removeStackFile, type StackFile, writeStackFile } from './stack-file.ts';
import { type Addresses, type EnginePorts, type GivenAddresses, startEngines } from './start-engines.ts';
import { stopInOrder } from './stop-stack.ts';
import type { LogLimits } from './supervise/child-log.ts';
import { cpuTime, Progress } from './supervise/progress.ts';
import { watchDisk } from './watch-disk.ts';

export type StackOptions = {
  dataDir: string;
  /** Of the gateway; 0 takes a free one. */
  port: number;
  cacheDir: string;
  /** What the stack's processes inherit. */
  environment: Record<string, string | undefined>;
  given?: GivenAddresses;
  natsServerBin?: string | undefined;
  temporalBin?: string | undefined;
  /** Of the worker and Temporal where the cores are full (docs/first-of-month.md#calls-meanwhile); 0 where not given. */
  niceness?: number | undefined;
  /** How long a process may stay unhealthy before it is started again; 0: for ever. */
  unhealthyMs?: number | undefined;
  logLimits?: LogLimits | undefined;
  log(line: string): void;
  /**
   * Runs once the engines serve and before our processes start: migrations and the first account. `null`: the engines were
   * all that was wanted, no process of ours is started.
   */
  prepare(addresses: Addresses): Promise<{ api_key: string; account_id: string } | null>;
  programs?: Programs;
  /** Variables of one of our processes that a test sets beside what it inherits. */
  overrides?: Partial<Record<OurName, Record<string, string>>>;
  /** Gives a start up; what has started is stopped. */
  signal?: AbortSignal;
};

export type Stack = {
  /** What stands in stack.json now. */
  file(): StackFile;
  /** Stops everything within 15 s; the same promise however often it is called. */
  stop(): Promise<void>;
};

const PROCESS_READY_MS = 60_000;
const READYZ_POLL_MS = 100;
const READYZ_MS = 5_000;
/** A process that has just ended lets go of its port a moment later. */
const LET_GO_MS = 2_000;
const REWRITE_MS = 5_000;

/**
 * Brings up the whole service on this machine (spec/service#local-stack): engines, `prepare`, our four processes, `stack.json`. Keeps alive what
 * dies until `stop`. Throws, with everything stopped again, where it can't: a live stack on the same directory, a port in use, an
 * engine that does not start.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  mkdirSync(options.dataDir, { recursive: true });
  const dataDir = realpathSync(options.dataDir);
  const holder: Holder = { address: '', isStopping: false };
  const lock = await lockDirectory(dataDir, holder, { say: options.log, signal: options.signal });
  const stack = new RunningStack(dataDir, options, lock, holder);
  try {
    const ended = await endLeftovers(dataDir, options.log);
    if (ended > 0) options.log(`ended ${ended} processes that an earlier start had left`);
    removeStackFile(dataDir);
    await stack.start(options);
    return stack;
  } catch (error) {
    await stack.stop();
    throw error;
  }
}

type StartingOptions = StackOptions & { signal: AbortSignal };

class RunningStack implements Stack {
  readonly #dataDir: string;
  readonly #children: ChildProcess[] = [];
  readonly #observer: ChildObserver;
  readonly #holder: Holder;
  readonly #releases: (() => void)[];
  #contents: Omit<StackFile, 'pids'> | null = null;
  #stopped: Promise<void> | null = null;
  readonly #giveUp = new AbortController();

  constructor(dataDir: string, { log, unhealthyMs, logLimits }: StackOptions, lock: NameLock, holder: Holder) {
    this.#dataDir = dataDir;
    this.#holder = holder;
    this.#releases = [() => lock.release()];
    this.#observer = { say: log, pidChanged: () => this.#write(), unhealthyMs, logLimits };
  }

  async start(given: StackOptions): Promise<void> {
    const signal = AbortSignal.any([this.#giveUp.signal, ...(given.signal ? [given.signal] : [])]);
    const options = { ...given, signal };
    const { environment, niceness } = options;
    const context = { dataDir: this.#dataDir, environment, observer: this.#observer, niceness };
    this.#releases.push(watchDisk(this.#dataDir, options.log));
    const reserved = await reservePorts(`${this.#dataDir}/${options.port}`, 11);
    this.#releases.push(reserved.release);
    const { gateway, ...ports } = portsOf(reserved.ports);
    const port = options.port === 0 ? gateway : options.port;
    const host = environment.HOST || '127.0.0.1';
    await assertFree(port, host);
    this.#holder.address = `http://${ownHost(host)}:${port}`;
    const addresses = await this.#startEngines(options, context, ports);
    signal.throwIfAborted();
    options.log('preparing the databases');
    const account = await options.prepare(addresses);
    if (account === null) return;
    await this.#startOurs(options, context, addresses, { ...ports, ingest: port });
    this.#contents = {
      base_url: this.#holder.address,
      ...account,
      temporal_ui_url: addresses.temporalUiUrl,
      temporal_address: addresses.temporalAddress,
      nats_url: addresses.natsUrl,
      clickhouse_url: addresses.clickhouseUrl,
      postgres_url: addresses.databaseUrl,
    };
    this.#write();
  }

  file(): StackFile {
    if (!this.#contents) throw new Error('The stack has not started.');
    const pidOf = (name: string) => this.#children.find((child) => child.name === name)?.lastPid ?? null;
    const engines = {
      postgres: pidOf('postgres'),
      nats: pidOf('nats'),
      clickhouse: pidOf('clickhouse'),
      temporal: pidOf('temporal'),
    };
    const ours = {
      ingest: pidOf('ingest'),
      aggregator: pidOf('aggregator'),
      worker: pidOf('worker'),
      api: pidOf('api'),
    };
    return { ...this.#contents, pids: { launcher: process.pid, ...ours, ...engines } };
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stopAll();
    return this.#stopped;
  }

  async #stopAll() {
    this.#holder.isStopping = true;
    this.#giveUp.abort(new Error('The stack is stopping.'));
    await stopInOrder(this.#children);
    removeStackFile(this.#dataDir);
    for (const release of this.#releases) release();
  }

  #startEngines(options: StartingOptions, context: EngineContext, ports: EnginePorts) {
    return startEngines(context, {
      given: options.given ?? {},
      ports,
      natsServerBin: options.natsServerBin,
      temporalBin: options.temporalBin,
      find: { cacheDir: options.cacheDir, environment: options.environment, say: options.log, signal: options.signal },
      started: (engine) => this.#children.push(engine),
    });
  }

  async #startOurs(
    options: StackOptions,
    context: EngineContext,
    addresses: Addresses & { temporalUiUrl: string | null },
    ports: Record<OurName, number>,
  ) {
    const { environment } = options;
    const url = (name: OurName) => `http://127.0.0.1:${ports[name]}`;
    const shared = {
      DATABASE_URL: addresses.databaseUrl,
      NATS_URL: addresses.natsUrl,
      CLICKHOUSE_URL: addresses.clickhouseUrl,
      TEMPORAL_ADDRESS: addresses.temporalAddress,
      TEMPORAL_UI_URL: environment.TEMPORAL_UI_URL || (addresses.temporalUiUrl ?? ''),
      API_URL: url('api'),
      AGGREGATOR_URL: url('aggregator'),
      WORKER_URL: url('worker'),
      // In what follows the environment wins.
      CHAIN_HEADS_FILE: environment.CHAIN_HEADS_FILE || chainHeadsFile(this.#dataDir),
      PROCESSORS_FILE: environment.PROCESSORS_FILE || processorsFile(this.#dataDir),
      ENCRYPTION_KEYS_FILE: environment.ENCRYPTION_KEYS_FILE || ensureEncryptionKeys(this.#dataDir),
      // Receivers of a local stack are local, too (spec/webhooks#addresses).
      WEBHOOK_ALLOW_PRIVATE: String(privateWebhooksOf(environment)),
      CLOSINGS_AT_ONCE: environment.CLOSINGS_AT_ONCE || String(closingsAtOnce(availableParallelism())),
    };
    const gateway = { HOST: environment.HOST || '127.0.0.1' };
    // The API is asked by the gateway, on this machine; in front of that stands whatever the environment says.
    const api = { TRUSTED_PROXIES: '127.0.0.1' };
    const programs = options.programs ?? OUR_PROGRAMS;
    const names: OurName[] = ['aggregator', 'worker', 'api', 'ingest'];
    const children = names.map((name) => {
      const ofName = name === 'ingest' ? gateway : name === 'api' ? api : {};
      const own = { ...shared, ...ofName, ...options.overrides?.[name] };
      return ourProcess(name, programs[name], ports[name], own, context);
    });
    this.#children.push(...children);
    await Promise.all(
      children.map(async (child) => {
        await child.start();
        await child.ready(PROCESS_READY_MS, options.signal);
        options.log(`${child.name} is up (pid ${child.pid})`);
      }),
    );
    await waitUntilReady(`${this.#holder.address}/readyz`, children, options.signal);
  }

  /** Where the file can't be replaced (a full disk) the old one stays, and it is tried again. */
  #write() {
    if (!this.#contents || this.#stopped) return;
    try {
      writeStackFile(this.#dataDir, this.file());
    } catch (error) {
      this.#observer.say(`stack.json is out of date: ${error instanceof Error ? error.message : error}`);
      setTimeout(() => this.#write(), REWRITE_MS).unref();
    }
  }
}

/** Throws if the gateway can't listen there, with the variable to set. */
async function assertFree(port: number, host: string): Promise<void> {
  const until = performance.now() + LET_GO_MS;
  for (;;) {
    const error = await listenError(port, host);
    if (error === null) return;
    if (error === 'EADDRNOTAVAIL' || error === 'ENOTFOUND')
      throw new Error(
        `HOST=${host} is no address of this machine. Set HOST to one of its addresses, or to 0.0.0.0 for all.`,
      );
    if (performance.now() > until)
      throw new Error(
        error === 'EADDRINUSE'
          ? `Port ${port} is in use by another program. Set PORT to a free one.`
          : `The gateway can't listen on port ${port} of ${host} (${error}). Set PORT or HOST to another one.`,
      );
    await sleep(READYZ_POLL_MS);
  }
}

/**
 * Waits until the gateway answers 200, which it does once all processes and engines do (spec/service#probes). Gives up when the processes use hardly any
 * processor time for a minute: what they log while they wait for each other is no progress.
 */
async function waitUntilReady(url: string, children: readonly ChildProcess[], signal?: AbortSignal): Promise<void> {
  const cpuMs = async () => {
    const times = await Promise.all(children.map(({ pid }) => cpuTime(pid)));
    return times.reduce((sum, time) => sum + time, 0);
  };
  const progress = new Progress(async () => ({ cpuMs: await cpuMs(), written: 0 }), children.length);
  let said = 'no answer';
  for (;;) {
    signal?.throwIfAborted();
    const response = await fetch(url, { signal: AbortSignal.timeout(READYZ_MS) }).catch(() => null);
    if (response?.ok) return;
    if (response) said = await response.text();
    if ((await progress.idleMs()) > PROCESS_READY_MS)
      throw new Error(`The service is not ready, and has made no progress for ${PROCESS_READY_MS / 1000} s: ${said}`);
    await sleep(READYZ_POLL_MS);
  }
}

function portsOf(ports: number[]): EnginePorts & Record<'gateway' | 'aggregator' | 'worker' | 'api', number> {
  const at = (i: number) => ports[i] ?? 0;
  return {
    ...{ gateway: at(0), aggregator: at(1), worker: at(2), api: at(3) },
    ...{ postgres: at(4), nats: at(5), clickhouse: at(6) },
    ...{ temporal: at(7), temporalUi: at(8), temporalMetrics: at(9), temporalHttp: at(10) },
  };
}
