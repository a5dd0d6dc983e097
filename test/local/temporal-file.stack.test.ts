import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporal } from '../../local/binaries.ts';
import { TemporalEngine } from '../../local/engines/temporal.ts';
import { findBinary } from '../../local/find-binary.ts';
import { reservePorts } from '../../local/free-ports.ts';
import { loadLauncherConfig } from '../../runtime/config.ts';
import { makeDataFolder } from '../stack/data-folder.ts';
import { waitUntil } from '../stack/wait-until.ts';

/** The file of the development server 1.29, with one open workflow whose search attribute CustomerId is `acme`. */
const OLD_FILE = join(import.meta.dirname, 'temporal-1.29.db.gz');
const READY_MS = 60_000;

let folder = '';
let ports: Awaited<ReturnType<typeof reservePorts>>;
let engine: TemporalEngine | undefined;
const said: string[] = [];

beforeAll(async () => {
  folder = await makeDataFolder('meterbook-temporal-file-');
  ports = await reservePorts(folder, 4);
});
afterAll(async () => {
  await engine?.stop(5_000);
  ports.release();
  rmSync(folder, { recursive: true, force: true });
});

async function startEngine(): Promise<TemporalEngine> {
  const { cacheDir, temporalBin, environment } = loadLauncherConfig();
  const binary = await findBinary(temporal, temporalBin, { cacheDir, environment, say: () => {} });
  const observer = { say: (line: string) => void said.push(line), pidChanged: () => {} };
  const [port = 0, uiPort = 0, metricsPort = 0, httpPort = 0] = ports.ports;
  engine = new TemporalEngine({ dataDir: folder, environment, observer }, binary, {
    port,
    uiPort,
    metricsPort,
    httpPort,
  });
  await engine.start();
  await engine.ready(READY_MS);
  return engine;
}

const file = () => join(folder, 'temporal/temporal.db');

/** The tables, indexes and triggers of a file of Temporal. */
function schemaOf(path: string) {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name').all();
  } finally {
    database.close();
  }
}

test('a file of an earlier server gets the tables of this one and keeps its open workflows', async () => {
  await (await startEngine()).stop(5_000);
  expect(said).toEqual([]);
  const newSchema = schemaOf(file());
  for (const ending of ['', '-wal', '-shm']) rmSync(`${file()}${ending}`, { force: true });
  writeFileSync(file(), gunzipSync(readFileSync(OLD_FILE)));
  expect(schemaOf(file())).not.toEqual(newSchema);

  const { address } = await startEngine();
  expect(said).toEqual(["upgrading the file of Temporal's workflows"]);
  expect(schemaOf(file())).toEqual(newSchema);
  expect(existsSync(`${file()}.before`)).toBe(true);
  const connection = await Connection.connect({ address });
  const { workflow } = new Client({ connection });
  await workflow.getHandle('open-since-before').signal('anything');
  const listed = async () => await workflow.list({ query: "CustomerId = 'acme'" })[Symbol.asyncIterator]().next();
  const found = await waitUntil(listed, ({ done }) => !done, READY_MS);
  expect(found.value).toMatchObject({ workflowId: 'open-since-before', status: { name: 'RUNNING' } });
  await connection.close();
});
