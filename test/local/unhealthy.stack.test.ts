import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StackFile, stackFilePath } from '../../local/stack-file.ts';
import type { Stack } from '../../local/start-stack.ts';
import { makeDataFolder } from '../stack/data-folder.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { putRecords } from './prepared-records.ts';
import { startStandInStack } from './stand-in-stack.ts';

/** Real engines and stand-ins for our processes that live and do not do their work (spec/service#local-stack). */
const PATIENCE_MS = 120_000;
const HANGING = ['postgres', 'nats', 'clickhouse', 'ingest'] as const;
const FAILING = ['temporal', 'api'] as const;

let dataDir = '';
let stack: Stack;
const said: string[] = [];

beforeAll(async () => {
  dataDir = join(await makeDataFolder('meterbook-unhealthy-'), 'data');
  await putRecords(dataDir, 'empty');
  // One failed look is enough here; `test/local/watch-health.test.ts` counts them.
  stack = await startStandInStack(dataDir, { unhealthyMs: 4_000, log: (line) => void said.push(line) });
});
afterAll(async () => {
  await stack?.stop();
  rmSync(join(dataDir, '..'), { recursive: true, force: true });
});

const fileNow = () => JSON.parse(readFileSync(stackFilePath(dataDir), 'utf8')) as StackFile;

/** Takes a table from Temporal, or gives it back: without it each question about one workflow is an error. */
function renameTable(from: string, to: string): void {
  const database = new DatabaseSync(join(dataDir, 'temporal/temporal.db'), {
    timeout: 10_000,
    enableDoubleQuotedStringLiterals: true,
  });
  try {
    database.exec(`ALTER TABLE ${from} RENAME TO ${to}`);
  } finally {
    database.close();
  }
}

async function answersSql(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  try {
    await client.connect();
    return (await client.query('SELECT 1')).rowCount === 1;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

const answersOk = (url: string) =>
  fetch(url, { signal: AbortSignal.timeout(5_000) }).then(
    ({ ok }) => ok,
    () => false,
  );

const isTrue = (value: boolean) => value;

test('an engine or process that hangs, or answers errors only, is started again, and says so in one line', async () => {
  const { pids } = stack.file();
  for (const name of HANGING) process.kill(pids[name] ?? 0, 'SIGSTOP');
  process.kill(pids.api ?? 0, 'SIGUSR2');
  renameTable('current_executions', 'taken_away');
  const isRestarted = async () => [...HANGING, ...FAILING].every((name) => fileNow().pids[name] !== pids[name]);
  await waitUntil(isRestarted, isTrue, PATIENCE_MS);
  renameTable('taken_away', 'current_executions');

  const file = fileNow();
  for (const name of HANGING)
    expect(said.join('\n')).toMatch(new RegExp(`^${name}: unhealthy for \\d+ s .*: starting it again$`, 'm'));
  expect(said.join('\n')).toMatch(
    /^temporal: unhealthy for \d+ s \(it answers 5\d\d: .*\), the next time after \d+ s: starting it again$/m,
  );
  expect(said.join('\n')).toMatch(/^api: unhealthy for \d+ s \(it answers 500: /m);
  await waitUntil(() => answersSql(file.postgres_url), isTrue, PATIENCE_MS);
  const { host } = new URL(file.clickhouse_url);
  await waitUntil(() => answersOk(`http://${host}/health`), isTrue, PATIENCE_MS);
  await waitUntil(() => answersOk(file.base_url), isTrue, PATIENCE_MS);
  await waitUntil(
    () => answersOk(`${file.temporal_ui_url}/api/v1/namespaces/default/workflows?pageSize=1`),
    isTrue,
    PATIENCE_MS,
  );
  // What is well is left alone.
  expect(fileNow().pids).toMatchObject({ worker: pids.worker, aggregator: pids.aggregator });
});
