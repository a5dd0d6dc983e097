import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ChildProcess } from '../child-process.ts';
import { answers, childEnvironment, type EngineContext, logFile } from './engine.ts';

/** What a person looks for in the UI's lists (design 8); the worker registers them too, on a server that is not ours. */
const SEARCH_ATTRIBUTES = {
  AccountId: 'Keyword',
  CustomerId: 'Keyword',
  PlanId: 'Keyword',
  SubscriptionStatus: 'Keyword',
  PeriodEnd: 'Datetime',
};

/** Without these two every step waits for the fsync of a rollback journal: 6 renewals a second (engines.md). */
const PRAGMAS = ['journal_mode=wal', 'synchronous=1'];

/** Temporal's development server with its UI, its history in one SQLite file. */
export class TemporalEngine extends ChildProcess {
  /** Host and port, as Temporal's clients want it. */
  readonly address: string;
  readonly uiUrl: string;

  constructor(
    context: EngineContext,
    binary: string,
    ports: { port: number; uiPort: number; metricsPort: number; httpPort: number },
  ) {
    const folder = join(context.dataDir, 'temporal');
    const uiUrl = `http://127.0.0.1:${ports.uiPort}`;
    const flags = [
      ['--ip', '127.0.0.1'],
      ['--port', String(ports.port)],
      ['--ui-port', String(ports.uiPort)],
      ['--metrics-port', String(ports.metricsPort)],
      ['--http-port', String(ports.httpPort)],
      ['--db-filename', join(folder, 'temporal.db')],
      ...PRAGMAS.map((pragma) => ['--sqlite-pragma', pragma]),
      ...Object.entries(SEARCH_ATTRIBUTES).map(([name, type]) => ['--search-attribute', `${name}=${type}`]),
      ['--log-level', 'warn'],
      ['--disable-config-file'],
      ['--disable-config-env'],
    ];
    const names = Object.keys(SEARCH_ATTRIBUTES);
    const spec = {
      name: 'temporal',
      command: binary,
      args: ['server', 'start-dev', ...flags.flat()],
      environment: childEnvironment(context),
      logFile: logFile(context, 'temporal'),
      isReady: () =>
        answers(`${uiUrl}/api/v1/namespaces/default/search-attributes`, (body) =>
          names.every((name) => body.includes(`"${name}"`)),
        ),
      beforeStart: async () => void mkdirSync(folder, { recursive: true, mode: 0o700 }),
    };
    super(spec, context.observer);
    this.address = `127.0.0.1:${ports.port}`;
    this.uiUrl = uiUrl;
  }
}
