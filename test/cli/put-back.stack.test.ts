import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listBases, walFolder } from '../../cli/archive/archive-folder.ts';
import { archiveRecords } from '../../cli/archive/archive-records.ts';
import { NOT_NEEDED, withEngines } from '../../cli/with-stores.ts';
import { systemClock } from '../../runtime/clock.ts';
import { loadLauncherConfig } from '../../runtime/config.ts';
import { createPool, type Pool } from '../../sql/postgres/postgres.ts';
import { putRecords } from '../local/prepared-records.ts';
import { waitUntil } from '../stack/wait-until.ts';

const HOUR_MS = 3_600_000;

let folder = '';
let archive = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'meterbook-put-back-'));
  await chmod(folder, 0o755);
  archive = join(folder, 'archive');
  await putRecords(folder, 'empty');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Does `work` on a Postgres that runs for as long as it takes, and changes something first. */
async function whileItRuns(work: (postgres: Pool, url: string) => Promise<unknown>): Promise<void> {
  const { cacheDir, environment } = loadLauncherConfig();
  const given = { natsUrl: NOT_NEEDED, clickhouseUrl: NOT_NEEDED, temporalAddress: NOT_NEEDED };
  await withEngines({ dataDir: folder, cacheDir, environment, given }, async ({ databaseUrl }) => {
    const postgres = createPool(databaseUrl, 0, 1);
    await postgres.query('CREATE TABLE IF NOT EXISTS changes AS SELECT gen_random_uuid()');
    await postgres.query('INSERT INTO changes SELECT gen_random_uuid() FROM generate_series(1, 100)');
    await work(postgres, databaseUrl).finally(() => postgres.end());
  });
}

/** Archives until `signal`; of the usage stream it notes nothing, since there is none. */
function archiving(url: string, signal: AbortSignal): Promise<void> {
  const find = async () => ({ databaseUrl: url, replicationUrl: url });
  const every = { baseEveryMs: HOUR_MS, keepMs: HOUR_MS, positionEveryMs: HOUR_MS };
  return archiveRecords(archive, { find, clock: systemClock, ...every, say: () => {}, signal });
}

/** Archives until all that Postgres has written by now is in the archive, and a copy of it. */
async function archiveAll(postgres: Pool, url: string): Promise<void> {
  const stopping = new AbortController();
  const done = archiving(url, stopping.signal);
  await waitUntil(
    async () => (await listBases(archive)).length,
    (bases) => bases > 0,
  );
  // What was committed: of a record that was only begun the archive hears when the next one is, which may be in 15 s.
  const { rows } = await postgres.query<{ place: string }>('SELECT pg_current_wal_flush_lsn()::text AS place');
  const sql = 'SELECT restart_lsn >= $1::pg_lsn AS has FROM pg_replication_slots';
  const has = async () => (await postgres.query<{ has: boolean }>(sql, [rows[0]?.place])).rows[0]?.has;
  await waitUntil(has, (answer) => answer === true);
  stopping.abort();
  await done;
}

/** The log that is archived, by the names of its files. */
async function archived(): Promise<Map<string, string>> {
  const [base] = await listBases(archive);
  const wal = walFolder(base?.folder ?? '');
  const files = await readdir(wal);
  return new Map(
    await Promise.all(files.map(async (file) => [file, await readFile(join(wal, file), 'base64')] as const)),
  );
}

test('a Postgres that is put back by a snapshot of its disk is refused by its archive, which stays as it was', async () => {
  const [records, snapshot] = [join(folder, 'postgres'), join(folder, 'snapshot')];
  await whileItRuns(archiveAll);
  execFileSync('cp', ['-a', records, snapshot]);
  await whileItRuns(archiveAll);
  const before = await archived();
  await rm(records, { recursive: true });
  await rename(snapshot, records);
  await whileItRuns(async (_postgres, url) => {
    await expect(archiving(url, new AbortController().signal)).rejects.toThrow(
      'Keep the log from here on in another folder',
    );
  });
  expect(await archived()).toEqual(before);
});
