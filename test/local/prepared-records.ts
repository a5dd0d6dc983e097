import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, chmod, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { NOT_NEEDED, type StoreAddresses } from '../../cli/with-stores.ts';
import { PASSWORD_FILE } from '../../local/engines/postgres.ts';
import { startStack } from '../../local/start-stack.ts';
import { loadLauncherConfig } from '../../runtime/config.ts';
import { createClickHouse, createClickHouseDatabase } from '../../sql/clickhouse/clickhouse.ts';
import { migrate } from '../../sql/migrate.ts';
import { createPool } from '../../sql/postgres/postgres.ts';

const ROOT = join(import.meta.dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache/test-records');
const MIGRATIONS = 'sql/migrations/postgres';
/** What decides how a new database looks, the version of Postgres included. */
const MADE_BY = ['package.json', 'sql/migrate.ts', 'local/engines/postgres.ts', 'test/local/prepared-records.ts'];
const RECORDS = ['postgres', PASSWORD_FILE];

/** As initdb leaves them, with an empty database; and brought to the newest schema. */
export type Prepared = 'empty' | 'migrated';

/**
 * Puts a Postgres into `dataDir` that has never been used: a copy of one that a run has made once for this schema, since making one
 * takes a sixth of the CPU of a stack's start.
 */
export async function putRecords(dataDir: string, how: Prepared): Promise<void> {
  const kept = join(CACHE, await keyOfSchema());
  if (!existsSync(kept)) await make(kept);
  await copy(join(kept, how), dataDir);
}

async function keyOfSchema(): Promise<string> {
  const migrations = (await readdir(join(ROOT, MIGRATIONS))).toSorted().map((name) => join(MIGRATIONS, name));
  const hash = createHash('sha256');
  for (const name of [...MADE_BY, ...migrations]) {
    const text = await readFile(join(ROOT, name));
    hash.update(`${name} ${text.length}\n`).update(text);
  }
  return hash.digest('hex').slice(0, 16);
}

/** Makes both beside their place, and moves them there whole: of two that do so at once, one is kept. */
async function make(place: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'meterbook-records-'));
  const draft = `${place}.${process.pid}`;
  try {
    // Postgres does not run as root: its own user must be able to walk to its folder.
    await chmod(folder, 0o755);
    await whileItRuns(folder, async () => {});
    // What processes of Postgres share goes with the folder, also of one that is killed: in /dev/shm it would stay.
    await appendFile(join(folder, 'postgres/postgresql.auto.conf'), "dynamic_shared_memory_type = 'mmap'\n");
    await copy(folder, join(draft, 'empty'));
    await whileItRuns(folder, async ({ databaseUrl, clickhouseUrl }) => {
      await createClickHouseDatabase(clickhouseUrl);
      const [postgres, clickhouse] = [createPool(databaseUrl), createClickHouse(clickhouseUrl)];
      await migrate(postgres, clickhouse).finally(() => Promise.all([postgres.end(), clickhouse.close()]));
    });
    await copy(folder, join(draft, 'migrated'));
    // Those of other schemas nobody will ask for again.
    for (const name of await readdir(CACHE))
      if (!draft.endsWith(name)) await rm(join(CACHE, name), { recursive: true, force: true });
    await rename(draft, place).catch((error: NodeJS.ErrnoException) => {
      if (!existsSync(place)) throw error;
    });
  } finally {
    await Promise.all([folder, draft].map((path) => rm(path, { recursive: true, force: true })));
  }
}

/** Does `work` on a Postgres and a ClickHouse in `dataDir`, and stops them. */
async function whileItRuns(dataDir: string, work: (stores: StoreAddresses) => Promise<void>): Promise<void> {
  const { cacheDir, environment } = loadLauncherConfig();
  const given = { natsUrl: NOT_NEEDED, temporalAddress: NOT_NEEDED };
  const prepare = (stores: StoreAddresses) => work(stores).then(() => null);
  await (await startStack({ dataDir, port: 0, cacheDir, environment, given, log: () => {}, prepare })).stop();
}

/** With their owner, as whom Postgres runs. */
async function copy(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  await promisify(execFile)('cp', ['-a', ...RECORDS.map((name) => join(from, name)), to]);
}
