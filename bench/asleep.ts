import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { createPool } from '../sql/postgres/postgres.ts';
import { api } from '../test/stack/api.ts';
import { startOwnStack } from '../test/stack/own-stack.ts';
import { report, rounded } from './figures.ts';
import { copySubscriptions, makeTemplate } from './many-subscriptions.ts';
import { cpuOf } from './process-usage.ts';
import { startWorkflows } from './renewals.ts';
import { memoryOf } from './store/footprint.ts';

const PROCESSES = ['worker', 'temporal', 'postgres'] as const;
/** Time to give back what the starts took, and then time in which nothing is to be done. */
const SETTLE_MS = 20_000;
const REST_MS = 30_000;

/**
 * What a subscription costs that sleeps until its period ends: bytes on the disks of Postgres and of Temporal, memory, the processor time
 * of all of them while nothing falls due, and how fast the sweep starts them.
 */
export async function benchAsleep(count: number): Promise<void> {
  const stack = await startOwnStack();
  const file = stack.file();
  const postgres = createPool(file.postgres_url);
  const connection = await Connection.connect({ address: file.temporal_address });
  const client = new Client({ connection });
  try {
    const template = await makeTemplate(api(file.api_key, file.base_url), file.account_id, 'asleep');
    await startWorkflows({ client }, 1);
    const before = { memory: memoryOf(file), disk: diskOf(stack.dataDir) };
    await copySubscriptions(postgres, template, count);
    const begun = performance.now();
    await startWorkflows({ client }, count + 1);
    const seconds = (performance.now() - begun) / 1000;
    await sleep(SETTLE_MS);
    const cpu = cpuOf(file, PROCESSES);
    await sleep(REST_MS);
    const rested = cpuOf(file, PROCESSES);
    const disk = diskOf(stack.dataDir);
    const rows = PROCESSES.map((name) => ({
      process: name,
      'MB before': before.memory[name]?.MB,
      'MB asleep': memoryOf(file)[name]?.MB,
      'kB on disk each': rounded((disk[name] - before.disk[name]) / count),
      '% of a core at rest': rounded(((rested[name] - cpu[name]) / REST_MS) * 100),
    }));
    report('asleep', rows, { asleep: count, 'starts/s': rounded(count / seconds) });
  } finally {
    await Promise.all([postgres.end(), connection.close()]);
    await stack.stop();
  }
}

/** kB of each one's folder; the worker has none. */
function diskOf(dataDir: string): Record<(typeof PROCESSES)[number], number> {
  const kbOf = (name: string) => {
    return Number(execFileSync('du', ['-sk', join(dataDir, name)], { encoding: 'utf8' }).split('\t')[0]);
  };
  return { worker: 0, temporal: kbOf('temporal'), postgres: kbOf('postgres') };
}
