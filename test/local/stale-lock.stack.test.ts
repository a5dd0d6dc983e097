import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PostgresEngine, postgresPrograms } from '../../local/engines/postgres.ts';
import { reservePorts } from '../../local/free-ports.ts';
import { loadLauncherConfig } from '../../runtime/config.ts';
import { makeDataFolder } from '../stack/data-folder.ts';
import { waitUntil } from '../stack/wait-until.ts';

let dataDir = '';
let ports: Awaited<ReturnType<typeof reservePorts>>;
const said: string[] = [];

beforeAll(async () => {
  dataDir = await makeDataFolder('meterbook-lock-');
  await chmod(dataDir, 0o755);
  ports = await reservePorts(dataDir, 1);
});
afterAll(() => {
  ports.release();
  rmSync(dataDir, { recursive: true, force: true });
});

async function postgres(): Promise<PostgresEngine> {
  const observer = { say: (line: string) => void said.push(line), pidChanged: () => {} };
  const { environment } = loadLauncherConfig();
  return new PostgresEngine({ dataDir, environment, observer }, await postgresPrograms(), ports.ports[0] ?? 0);
}

/** A shell that becomes Postgres' parent and never asks for its end, as the first process of some containers. */
const PARENT = `"$@" & echo $!; exec sleep 1000`;

test('Postgres starts beside the lock file of a server that is dead and that nobody has buried', async () => {
  const first = await postgres();
  await first.start();
  await first.ready(60_000);
  await first.stop(20_000);
  const { spec } = first;
  const parent = spawn('sh', ['-c', PARENT, 'sh', spec.command, ...spec.args], {
    cwd: '/',
    env: spec.environment,
    ...spec.user,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const pid = Number.parseInt(line.toString(), 10);
  const lockFile = join(dataDir, 'postgres/postmaster.pid');
  const lockedBy = () => readFile(lockFile, 'utf8').catch(() => '');
  await waitUntil(lockedBy, (text) => text.startsWith(`${pid}\n`), 60_000);
  process.kill(pid, 'SIGKILL');
  await waitUntil(
    async () => readFileSync(`/proc/${pid}/stat`, 'utf8'),
    (stat) => / Z /.test(stat),
    60_000,
  );
  try {
    const second = await postgres();
    await second.start();
    await second.ready(60_000);
    expect(await lockedBy()).not.toContain(`${pid}\n`);
    await second.stop(20_000);
  } finally {
    parent.kill('SIGKILL');
  }
});
