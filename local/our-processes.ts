import { join } from 'node:path';
import { ChildProcess } from './child-process.ts';
import { answers, assertAnswers, childEnvironment, type EngineContext, logFile } from './engines/engine.ts';
import { ownHost } from './own-names.ts';

export type OurName = 'ingest' | 'aggregator' | 'worker' | 'api';

/** Which program runs under each name; tests put their own here. */
export type Programs = Record<OurName, string>;

const root = join(import.meta.dirname, '..');

export const OUR_PROGRAMS: Programs = {
  ingest: join(root, 'ingest/main.ts'),
  aggregator: join(root, 'aggregator/main.ts'),
  worker: join(root, 'workflows/main.ts'),
  api: join(root, 'api/main.ts'),
};

/**
 * What keeps these small (bench renewals, groups, batch); docker-compose.yml says the same. The worker has two heaps of 30 to 70 MB. V8 sizes a
 * heap by the machine: its young part may have 48 MB, and the old one may grow fourfold before it is cleaned. By a limit of
 * 512 MB it is cleaned sooner, for no processor time that could be measured. glibc would keep an arena of memory for each
 * thread of Temporal's library, and give less and less back.
 */
export const SMALLER: Partial<Record<OurName, { nodeOptions: string[]; environment: Record<string, string> }>> = {
  worker: {
    nodeOptions: ['--max-semi-space-size=4', '--max-old-space-size=512'],
    environment: { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' },
  },
  // Chunks of bodies are cleaned up with the young heap: 32 senders of 8 MiB leave a third less behind.
  ingest: { nodeOptions: ['--max-semi-space-size=8'], environment: {} },
  // What its answers leave behind is cleaned before the process has 512 MB (bench groups). Its thread has a young heap of its own size, which
  // an option here would overrule.
  api: { nodeOptions: ['--max-old-space-size=352'], environment: {} },
};

/**
 * How many customers' periods the worker closes beside each other where it shares so many cores with Postgres: what another closing asks of
 * Postgres gets its turns before a transaction ends that holds the invoice counter (first-of-month#turns-of-the-cores).
 */
export function closingsAtOnce(cores: number): number {
  return Math.max(1, Math.min(3, cores - 1));
}

/** One of our four processes; `own` is its whole configuration beside the launcher's environment. It serves once `/livez` answers. */
export function ourProcess(
  name: OurName,
  program: string,
  port: number,
  own: Record<string, string>,
  context: EngineContext,
  nodeOptions: readonly string[] = SMALLER[name]?.nodeOptions ?? [],
) {
  const host = own.HOST ?? '127.0.0.1';
  const livez = `http://${ownHost(host)}:${port}/livez`;
  const spec = {
    name,
    command: process.execPath,
    args: [...nodeOptions, program],
    ...(name === 'worker' && { nice: context.niceness }),
    environment: childEnvironment(context, {
      HOST: host,
      ...SMALLER[name]?.environment,
      ...own,
      PORT: String(port),
    }),
    logFile: logFile(context, name),
    isReady: () => answers(livez),
    // What it needs is somebody else's health: a process whose Postgres is away is not broken itself.
    isHealthy: () => assertAnswers(livez),
  };
  return new ChildProcess(spec, context.observer);
}
