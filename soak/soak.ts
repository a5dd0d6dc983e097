import { mkdtempSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareStack } from '../cli/prepare-stack.ts';
import { type Stack, startStack } from '../local/start-stack.ts';
import { systemClock } from '../runtime/clock.ts';
import { loadLauncherConfig } from '../runtime/config.ts';
import { killAtRandom } from './chaos.ts';
import { startLoad } from './load.ts';
import { type SoakProcessor, startProcessor } from './processor.ts';

export type SoakOptions = { minutes: number; seed: number; eventsPerSecond: number; lives: number; kills: boolean };

/**
 * Runs the whole service for a while under mixed load and random kills, and holds what it must hold (soak/README.md) while it runs and
 * at the end. Answers what was found; the data of a run that found something stays.
 */
export async function soak(options: SoakOptions, say: (line: string) => void): Promise<string[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'meterbook-soak-'));
  await chmod(dataDir, 0o755); // Postgres runs as a user of its own
  const processor = await startProcessor();
  const config = loadLauncherConfig();
  const stack = await startStack({
    ...config,
    environment: { ...config.environment, ...processor.environment },
    dataDir,
    port: 0,
    log: say,
    prepare: (stores) => prepareStack(stores, { dataDir, apiKey: undefined, clock: systemClock }),
  });
  const found: string[] = [];
  try {
    found.push(...(await run(options, stack, processor, dataDir, say)));
  } catch (error) {
    found.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    await stack.stop();
    await processor.stop();
  }
  if (found.length === 0) await rm(dataDir, { recursive: true, force: true });
  else say(`data and logs are kept in ${dataDir}`);
  return found;
}

async function run(
  options: SoakOptions,
  stack: Stack,
  processor: SoakProcessor,
  dataDir: string,
  say: (line: string) => void,
): Promise<string[]> {
  const file = stack.file();
  const target = {
    baseUrl: file.base_url,
    apiKey: file.api_key,
    accountId: file.account_id,
    postgresUrl: file.postgres_url,
    clickhouseUrl: file.clickhouse_url,
  };
  const load = await startLoad(target, options, processor, say);
  try {
    const { signal } = load;
    const chaos = options.kills ? killAtRandom(load.dice, dataDir, () => stack.file(), say, signal) : undefined;
    await sleep(options.minutes * 60_000, undefined, { signal }).catch(() => undefined);
    say('the load ends; everything comes to rest');
    await load.rest();
    const deaths = await chaos;
    say(JSON.stringify({ ...(await load.summary()), kills: Object.fromEntries(deaths ?? []) }));
  } finally {
    await load.close();
  }
  return load.found;
}
