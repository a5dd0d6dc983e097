import { chmod, rm } from 'node:fs/promises';
import { prepareStack } from '../../cli/prepare-stack.ts';
import type { StoreAddresses } from '../../cli/with-stores.ts';
import { type Stack, startStack } from '../../local/start-stack.ts';
import { systemClock } from '../../runtime/clock.ts';
import { loadLauncherConfig } from '../../runtime/config.ts';
import { putRecords } from '../local/prepared-records.ts';
import { makeDataFolder } from './data-folder.ts';

export type OwnStack = Stack & {
  dataDir: string;
  /** Stops it and leaves its folder, for another start on it. */
  halt(): Promise<void>;
};

const running = new Set<OwnStack>();
const starting = new Set<Promise<unknown>>();
const interrupted = new AbortController();

/** Stops those that are left, and gives up those that are starting, for a process that is interrupted. */
export async function stopOwnStacks(): Promise<void> {
  interrupted.abort();
  await Promise.allSettled(starting);
  await Promise.all([...running].map((stack) => stack.stop()));
}

/** A stack that tests begin anew on what the last one has left: another one is there then. `environment`: what each is started with. */
export type On = { stack: OwnStack; environment: Record<string, string> };

/**
 * Starts a stack in a folder and on ports of its own, so that it runs beside others and its stop leaves nothing. `before` may
 * fill its stores before anything of ours has touched them. `on`: the folder that another one has left.
 */
export async function startOwnStack(
  variables: Record<string, string> = {},
  before?: (stores: StoreAddresses) => Promise<unknown>,
  on?: string,
): Promise<OwnStack> {
  const dataDir = on ?? (await makeDataFolder('meterbook-test-'));
  // Postgres does not run as root: its own user must be able to walk to its folder.
  await chmod(dataDir, 0o755);
  const lines: string[] = [];
  const config = loadLauncherConfig();
  const environment = { ...config.environment, ...variables };
  try {
    if (!on) await putRecords(dataDir, before ? 'empty' : 'migrated');
    const start = startStack({
      ...config,
      signal: interrupted.signal,
      environment,
      dataDir,
      port: 0,
      log: (line) => lines.push(line),
      prepare: async (stores) => {
        await before?.(stores);
        return prepareStack(stores, { dataDir, apiKey: undefined, clock: systemClock, environment });
      },
    });
    starting.add(start);
    const stack = await start.finally(() => starting.delete(start));
    const own: OwnStack = {
      dataDir,
      file: () => stack.file(),
      halt: () => {
        running.delete(own);
        return stack.stop();
      },
      stop: async () => {
        await own.halt();
        await rm(dataDir, { recursive: true, force: true });
      },
    };
    running.add(own);
    return own;
  } catch (error) {
    console.error(`The stack did not start; its logs are in ${dataDir}.\n${lines.join('\n')}`);
    throw error;
  }
}
