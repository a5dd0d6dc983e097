import { join } from 'node:path';
import { ChildProcess } from './child-process.ts';
import { answers, childEnvironment, type EngineContext, logFile } from './engines/engine.ts';

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
 * V8 lets the young part of each heap grow to 48 MB, and the worker has two heaps; docker-compose.yml says the same. With 12
 * its activities and workflows take no more processor time (measured).
 */
export const NODE_OPTIONS: Partial<Record<OurName, string[]>> = { worker: ['--max-semi-space-size=4'] };

/** One of our four processes; `own` is its whole configuration beside the launcher's environment. It serves once `/livez` answers. */
export function ourProcess(
  name: OurName,
  program: string,
  port: number,
  own: Record<string, string>,
  context: EngineContext,
) {
  const spec = {
    name,
    command: process.execPath,
    args: [...(NODE_OPTIONS[name] ?? []), program],
    environment: childEnvironment(context, { HOST: '127.0.0.1', ...own, PORT: String(port) }),
    logFile: logFile(context, name),
    isReady: () => answers(`http://127.0.0.1:${port}/livez`),
  };
  return new ChildProcess(spec, context.observer);
}
