import { existsSync } from 'node:fs';
import { stackFilePath } from '../local/stack-file.ts';
import { type StackOptions, startStack } from '../local/start-stack.ts';
import { loadLauncherConfig } from '../runtime/config.ts';
import { findStack } from './stack-address.ts';

/** Where the stores are that a command works on. */
export type StoreAddresses = { databaseUrl: string; clickhouseUrl: string; natsUrl: string };

/** An engine that the command does not need: a given address keeps it from being started. */
export const NOT_NEEDED = 'not-needed';

/**
 * Does `work` on the stores that the environment names, else on those of the running stack of `DATA_DIR`, else on those of
 * its data: Postgres, ClickHouse and NATS are then started for as long as it takes. What they say goes to standard error.
 */
export async function withStores<T>(work: (stores: StoreAddresses) => Promise<T>): Promise<T> {
  const config = loadLauncherConfig();
  const { databaseUrl, clickhouseUrl, natsUrl } = config;
  if (databaseUrl && clickhouseUrl && natsUrl) return work({ databaseUrl, clickhouseUrl, natsUrl });
  if (existsSync(stackFilePath(config.dataDir))) {
    const stack = await findStack();
    const running = { databaseUrl: stack.postgres_url, clickhouseUrl: stack.clickhouse_url, natsUrl: stack.nats_url };
    return work({
      databaseUrl: databaseUrl ?? running.databaseUrl,
      clickhouseUrl: clickhouseUrl ?? running.clickhouseUrl,
      natsUrl: natsUrl ?? running.natsUrl,
    });
  }
  return withEngines({ ...config, given: { ...config, temporalAddress: config.temporalAddress ?? NOT_NEEDED } }, work);
}

/** Somebody has asked the command to end before it had done its work. */
export class Interrupted extends Error {}

/**
 * Does `work` on engines that are started in `options.dataDir` for as long as it takes. What they say goes to standard error. They end
 * with a SIGINT or SIGTERM to this process, too, which throws {@link Interrupted}.
 */
export async function withEngines<T>(
  options: Omit<StackOptions, 'port' | 'log' | 'prepare'>,
  work: (stores: StoreAddresses) => Promise<T>,
): Promise<T> {
  const done: T[] = [];
  const { promise: interrupted, reject } = Promise.withResolvers<never>();
  interrupted.catch(() => {}); // where nobody waits for it any more
  const starting = new AbortController();
  const interrupt = (signal: NodeJS.Signals) => {
    const reason = new Interrupted(`Interrupted by ${signal}.`);
    starting.abort(reason);
    reject(reason);
  };
  for (const signal of INTERRUPTS) process.once(signal, interrupt);
  try {
    const stack = await startStack({
      ...options,
      port: 0,
      signal: starting.signal,
      log: (line) => console.error(line),
      prepare: async (addresses) => {
        done.push(await Promise.race([work(addresses), interrupted]));
        return null;
      },
    });
    await stack.stop();
    return done[0] as T;
  } finally {
    for (const signal of INTERRUPTS) process.removeListener(signal, interrupt);
  }
}

const INTERRUPTS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
