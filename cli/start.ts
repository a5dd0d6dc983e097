import { setGlobalProxyFromEnv } from 'node:http';
import type { StackFile } from '../local/stack-file.ts';
import { startStack } from '../local/start-stack.ts';
import { systemClock } from '../runtime/clock.ts';
import { loadLauncherConfig } from '../runtime/config.ts';
import { buildPages } from './build-pages.ts';
import { prepareStack } from './prepare-stack.ts';
import { watchNpm } from './watch-npm.ts';

/**
 * `npm start`: the whole service on this machine, until Ctrl-C, SIGTERM, or npm's going away (spec/service#local-stack). Answers the exit code:
 * 0 after a stop that was asked for, 1 where the stack can't start.
 */
export async function run(): Promise<number> {
  const config = loadLauncherConfig();
  const asked = stopAsked(config.underNpm);
  const begun = performance.now();
  // Node may be told to use the proxy of the environment (NODE_USE_ENV_PROXY), which does not reach our own processes.
  setGlobalProxyFromEnv({ ...config.environment, NO_PROXY: '*', no_proxy: '*' });
  const log = (line: string) =>
    console.log(`${((performance.now() - begun) / 1000).toFixed(1).padStart(6)} s  ${line}`);
  buildPages(log, asked.signal);
  try {
    const stack = await startStack({
      ...config,
      given: config,
      log,
      prepare: (stores) => prepareStack(stores, { ...config, clock: systemClock }),
      signal: asked.signal,
    });
    console.log(ready(stack.file()));
    const reason = await asked.reason;
    log(`${reason}: stopping`);
    await stack.stop();
    log('stopped');
    return 0;
  } catch (error) {
    if (asked.signal.aborted) return 0;
    console.error(`\nThe stack did not start.\n${error instanceof Error ? error.message : error}`);
    return 1;
  }
}

/** A request to stop, from wherever it comes first; repeated ones change nothing. */
function stopAsked(underNpm: boolean): { signal: AbortSignal; reason: Promise<string> } {
  const controller = new AbortController();
  const reason = new Promise<string>((resolve) => {
    const stop = (why: string) => {
      controller.abort(new Error(`stopped while starting: ${why}`));
      resolve(why);
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal));
    if (underNpm) watchNpm(() => stop('npm has gone'));
    process.on('uncaughtException', (error) => {
      console.error(error);
      process.exitCode = 1;
      stop('a bug in the launcher');
    });
  });
  // Whoever read our output may be gone before us; that must not cut a stop short.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  return { signal: controller.signal, reason };
}

function ready(stack: StackFile): string {
  const rows = [
    ['Base URL', stack.base_url],
    ['API key', stack.api_key],
    ['Temporal UI', stack.temporal_ui_url ?? `at the server you gave (${stack.temporal_address})`],
    ['Console', `${stack.base_url}/console`],
    ['Documentation', `${stack.base_url}/docs`],
  ];
  const lines = rows.map(([name = '', value = '']) => `  ${name.padEnd(14)} ${value}`);
  return [
    '',
    '  Meterbook is ready.',
    '',
    ...lines,
    '',
    '  Try it: npm run demo (in another terminal). Stop it: Ctrl-C.',
    '',
  ].join('\n');
}
