import { existsSync } from 'node:fs';
import { stackFilePath } from '../local/stack-file.ts';
import { startStack } from '../local/start-stack.ts';
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
  const done: T[] = [];
  const stack = await startStack({
    ...config,
    port: 0,
    given: { ...config, temporalAddress: config.temporalAddress ?? NOT_NEEDED },
    log: (line) => console.error(line),
    prepare: async (addresses) => {
      done.push(await work(addresses));
      return null;
    },
  });
  await stack.stop();
  return done[0] as T;
}
