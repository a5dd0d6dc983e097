import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { natsServer } from '../../local/binaries.ts';
import type { ChildProcess } from '../../local/child-process.ts';
import type { EngineContext } from '../../local/engines/engine.ts';
import { NatsEngine } from '../../local/engines/nats.ts';
import { PostgresEngine, postgresPrograms } from '../../local/engines/postgres.ts';
import { findBinary } from '../../local/find-binary.ts';
import { reservePorts } from '../../local/free-ports.ts';
import { loadLauncherConfig } from '../../runtime/config.ts';

const { cacheDir, natsServerBin, environment } = loadLauncherConfig();
const dataDir = mkdtempSync(join(tmpdir(), 'meterbook-cannot-'));
chmodSync(dataDir, 0o755);
const context: EngineContext = { dataDir, environment, observer: { say: () => {}, pidChanged: () => {} } };
const { ports, release } = await reservePorts(dataDir, 2);

afterAll(() => {
  release();
  rmSync(dataDir, { recursive: true, force: true });
});

/** What a person reads of an engine that can't start: one line. */
async function complaintOf(engine: ChildProcess): Promise<string> {
  await engine.start();
  try {
    return await engine.ready(60_000).then(
      () => 'it started',
      (error: Error) => error.message,
    );
  } finally {
    await engine.stop(2_000);
  }
}

test('Postgres whose data is not whole', async () => {
  const folder = join(dataDir, 'postgres');
  mkdirSync(folder, { mode: 0o700, recursive: true });
  writeFileSync(join(folder, 'PG_VERSION'), '18\n');
  const postgres = new PostgresEngine(context, await postgresPrograms(), ports[0] ?? 0);
  expect(await complaintOf(postgres)).toMatch(
    /^postgres can't start \(it ended 3 times\): .*could not access the server configuration file.*; log: .*\/logs\/postgres\.log$/,
  );
});

test('NATS whose folder is a file', async () => {
  mkdirSync(join(dataDir, 'nats'), { recursive: true });
  writeFileSync(join(dataDir, 'nats', 'jetstream'), '');
  const binary = await findBinary(natsServer, natsServerBin, { cacheDir, environment, say: () => {} });
  const nats = new NatsEngine(context, binary, ports[1] ?? 0);
  expect(await complaintOf(nats)).toMatch(
    /^nats can't start \(it ended 3 times\): .*\[FTL\].*storage directory.*; log: .*\/logs\/nats\.log$/,
  );
});
