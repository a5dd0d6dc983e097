import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ChildProcess } from '../child-process.ts';
import { type Address, hiddenAddress, startGuard } from '../guard-ui.ts';
import { answers, assertAnswers, childEnvironment, type EngineContext, excuseOfFullDisk, logFile } from './engine.ts';
import { upgradeTemporalFile } from './temporal-file.ts';

/** What a person looks for in the UI's lists (architecture#temporal); the worker registers them too, on a server that is not ours. */
const SEARCH_ATTRIBUTES = {
  AccountId: 'Keyword',
  CustomerId: 'Keyword',
  PlanId: 'Keyword',
  SubscriptionStatus: 'Keyword',
  PeriodEnd: 'Datetime',
};

/** Without these two every step waits for the fsync of a rollback journal: 6 renewals a second. */
const PRAGMAS = ['journal_mode=wal', 'synchronous=1'];

/** The HTTP API takes no password and nobody here uses it: it answers requests to this host alone, which none is sent to. */
const HTTP_API_HOSTS = ['closed.invalid'];

/**
 * By itself the development server keeps 8,096 entries of workflows in memory, two of each that has begun within the hour: where more fall
 * due together each is read from SQLite anew for each of its steps, a third of its CPU. And it reads from SQLite which search attributes
 * there are each time it needs one; ours are there before it starts (first-of-month#temporals-memory).
 */
const DYNAMIC_CONFIG = {
  // Waiting tasks are handed out by account in turn (workflows/call-interceptors.ts).
  'matching.enableFairness': true,
  'frontend.httpAllowedHosts': HTTP_API_HOSTS,
  'history.hostLevelCacheMaxSize': 48_000,
  'history.cacheBackgroundEvict': { Enabled: true },
  'system.forceSearchAttributesCacheRefreshOnRead': false,
};

/** No workflow has this id. */
const NOBODY = 'meterbook-health';

/** Reads from each of the two stores in Temporal's file: the list of workflows, and the state of one that does not exist. */
async function doesItsWork(workflows: string): Promise<boolean> {
  await assertAnswers(`${workflows}?pageSize=1`);
  return assertAnswers(`${workflows}/${NOBODY}`, 404);
}

/**
 * Temporal's development server with its UI, its history in one SQLite file. Neither has a password. The UI would do whatever a page
 * asks whose name has been pointed to this machine, so it listens where no page finds it, behind a guard.
 */
export class TemporalEngine extends ChildProcess {
  /** Host and port, as Temporal's clients want it. */
  readonly address: string;
  readonly uiUrl: string;
  readonly #uiPort: number;
  readonly #hiddenUi: Address | null;
  #endGuard: () => void = () => undefined;

  constructor(
    context: EngineContext,
    binary: string,
    ports: { port: number; uiPort: number; metricsPort: number; httpPort: number },
  ) {
    const folder = join(context.dataDir, 'temporal');
    const file = join(folder, 'temporal.db');
    const environment = childEnvironment(context);
    const hidden = hiddenAddress();
    const ui = hidden ?? { host: '127.0.0.1', port: ports.uiPort };
    const flags = [
      ['--ip', '127.0.0.1'],
      ['--port', String(ports.port)],
      ['--ui-ip', ui.host],
      ['--ui-port', String(ui.port)],
      ['--metrics-port', String(ports.metricsPort)],
      ['--http-port', String(ports.httpPort)],
      ['--db-filename', file],
      ...PRAGMAS.map((pragma) => ['--sqlite-pragma', pragma]),
      ...Object.entries(SEARCH_ATTRIBUTES).map(([name, type]) => ['--search-attribute', `${name}=${type}`]),
      ...Object.entries(DYNAMIC_CONFIG).map(([key, value]) => [
        '--dynamic-config-value',
        `${key}=${JSON.stringify(value)}`,
      ]),
      ['--log-level', 'warn'],
      ['--disable-config-file'],
      ['--disable-config-env'],
    ];
    const names = Object.keys(SEARCH_ATTRIBUTES);
    const spec = {
      name: 'temporal',
      command: binary,
      args: ['server', 'start-dev', ...flags.flat()],
      nice: context.niceness,
      environment,
      logFile: logFile(context, 'temporal'),
      isReady: () =>
        answers(`http://${ui.host}:${ui.port}/api/v1/namespaces/default/search-attributes`, (body) =>
          names.every((name) => body.includes(`"${name}"`)),
        ),
      isHealthy: () => doesItsWork(`http://${ui.host}:${ui.port}/api/v1/namespaces/default/workflows`),
      excuse: () => excuseOfFullDisk(context.dataDir),
      beforeStart: async () => {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        await upgradeTemporalFile(file, { program: binary, environment, port: ports.port }, context.observer.say);
      },
    };
    super(spec, context.observer);
    this.address = `127.0.0.1:${ports.port}`;
    this.uiUrl = `http://127.0.0.1:${ports.uiPort}`;
    this.#uiPort = ports.uiPort;
    this.#hiddenUi = hidden;
  }

  override async start(): Promise<void> {
    if (this.#hiddenUi) this.#endGuard = await startGuard(this.#uiPort, this.#hiddenUi);
    await super.start();
  }

  override async stop(killAfterMs: number): Promise<void> {
    await super.stop(killAfterMs);
    this.#endGuard();
  }
}
