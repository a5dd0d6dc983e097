import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Instant } from '../../core/instants.ts';
import { startStack } from '../../local/start-stack.ts';
import { roomOf } from '../../local/watch-disk.ts';
import { systemClock } from '../../runtime/clock.ts';
import { loadLauncherConfig, loadProcessConfig } from '../../runtime/config.ts';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import { type DrillFinding, insertDrill } from '../../sql/postgres/backup-drills.ts';
import { createPool } from '../../sql/postgres/postgres.ts';
import { type BackupStep, readSteps } from '../backup-folder.ts';
import { BadUsage } from '../bad-usage.ts';
import { commandCipher } from '../command-cipher.ts';
import { restoreBackup, type SecretsPolicy } from '../restore.ts';
import { newestOf } from '../restore-usage.ts';
import { NOT_NEEDED, type StoreAddresses, withStores } from '../with-stores.ts';
import { compareTotals, type Side } from './compare-totals.ts';

/** A restored backup takes at most so many times the room of its files, and the engines a little beside. */
const ROOM_FACTOR = 12;
const ROOM_BESIDE = 512 * 2 ** 20;
/** Totals read everything there is. */
const TOTALS_LIMIT_MS = 3_600_000;

const PASSED = 0;
const FAILED = 1;

/**
 * `npm run cli -- drill <folder>`: restores the newest backup of the folder beside the running stack and compares. Prints `{passed, backup, taken_at,
 * seconds, findings}`, and keeps it in the records, where the worker's metrics read it. Answers 0 where all is the same, else 1.
 */
export async function run([folder, ...rest]: string[]): Promise<number> {
  if (!folder || rest.length > 0)
    throw new BadUsage('The folder is missing: a backup, or one that holds several, of which the newest is taken.');
  const secrets = { cipher: commandCipher(), withoutSecrets: false, clock: systemClock };
  const result = await withStores((running) => drillBackup(running, folder, secrets));
  console.log(JSON.stringify(result, null, 2));
  return result.passed ? PASSED : FAILED;
}

export type DrillResult = {
  passed: boolean;
  backup: string;
  taken_at: string | null;
  seconds: number;
  findings: DrillFinding[];
};

/**
 * Restores the newest backup of `folder` into engines of its own, which are gone afterwards, compares it with `running`, and keeps there what
 * came out. Whatever keeps the backup from being restored is a finding, too.
 */
export async function drillBackup(
  running: StoreAddresses,
  folder: string,
  secrets: SecretsPolicy,
): Promise<DrillResult> {
  const begun = performance.now();
  let [backup, takenAt] = [folder, null as string | null];
  let findings: DrillFinding[];
  try {
    const newest = await findNewest(folder);
    backup = newest.folder;
    takenAt = newestOf(newest.steps).manifest.taken_at;
    findings = await besides(newest, (stores) => restoreAndCompare(stores, running, newest, secrets));
  } catch (error) {
    const what = `the restore: ${error instanceof Error ? error.message : error}`;
    findings = [{ what, account_id: null, in_backup: 'nothing', running: 'a running service' }];
  }
  const postgres = createPool(running.databaseUrl, 0, 1);
  try {
    await insertDrill(postgres, { drilledAt: secrets.clock.now(), takenAt, findings });
  } finally {
    await postgres.end();
  }
  const seconds = Number(((performance.now() - begun) / 1_000).toFixed(1));
  return { passed: findings.length === 0, backup, taken_at: takenAt, seconds, findings };
}

type FoundBackup = { folder: string; steps: BackupStep[] };

/** The folder itself where it is a backup, else the newest of those within it. */
async function findNewest(folder: string): Promise<FoundBackup> {
  const names = await readdir(folder).catch((): string[] => []);
  if (names.includes('backup.json')) return { folder, steps: await readSteps(folder) };
  const found: (FoundBackup & { at: Instant })[] = [];
  for (const name of names) {
    const within = join(folder, name);
    if (!(await readdir(within).catch((): string[] => [])).includes('backup.json')) continue;
    const steps = await readSteps(within);
    found.push({ folder: within, steps, at: Date.parse(newestOf(steps).manifest.taken_at) });
  }
  const newest = found.toSorted((a, b) => a.at - b.at).at(-1);
  if (!newest) throw new Error(`${folder} is no backup, and holds none.`);
  return newest;
}

/** Gives `work` empty stores: those that DRILL_DATABASE_URL, DRILL_CLICKHOUSE_URL and DRILL_NATS_URL name, else engines for as long as it takes. */
async function besides<T>({ steps }: FoundBackup, work: (stores: StoreAddresses) => Promise<T>): Promise<T> {
  const config = loadLauncherConfig();
  if (config.drillStores) return work(config.drillStores);
  const dataDir = await mkdtemp(join(tmpdir(), 'meterbook-drill-'));
  const done: T[] = [];
  try {
    assertRoom(dataDir, steps);
    // Postgres does not run as root: its own user must be able to walk to its folder.
    await chmod(dataDir, 0o755);
    const stack = await startStack({
      ...config,
      dataDir,
      port: 0,
      given: { temporalAddress: NOT_NEEDED },
      log: (line) => console.error(line),
      prepare: async (stores) => {
        done.push(await work(stores));
        return null;
      },
    });
    await stack.stop();
    return done[0] as T;
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

function assertRoom(folder: string, steps: readonly BackupStep[]): void {
  const bytes = steps.flatMap(({ manifest }) => manifest.files).reduce((sum, file) => sum + file.bytes, 0);
  const needed = bytes * ROOM_FACTOR + ROOM_BESIDE;
  const { free } = roomOf(folder);
  if (free >= needed) return;
  const [has, needs] = [free, needed].map((one) => Math.ceil(one / 2 ** 20));
  throw new Error(`The disk of ${folder} has ${has} MB free, and ${needs} MB may be needed.`);
}

async function restoreAndCompare(
  stores: StoreAddresses,
  running: StoreAddresses,
  { folder, steps }: FoundBackup,
  secrets: SecretsPolicy,
): Promise<DrillFinding[]> {
  await restoreBackup(stores, folder, secrets);
  const { manifest } = newestOf(steps);
  const at = { landedTo: manifest.stream.landed_to, takenAt: Date.parse(manifest.taken_at) };
  return withSide(stores, undefined, (restored) =>
    withSide(running, loadProcessConfig().clickhouseCluster, (live) => compareTotals(restored, live, at)),
  );
}

async function withSide<T>(
  { databaseUrl, clickhouseUrl }: StoreAddresses,
  cluster: string | undefined,
  work: (side: Side) => Promise<T>,
): Promise<T> {
  const postgres = createPool(databaseUrl, 0, 2);
  const clickhouse = createClickHouse(clickhouseUrl, cluster, TOTALS_LIMIT_MS);
  try {
    return await work({ postgres, clickhouse });
  } finally {
    await Promise.all([postgres.end(), clickhouse.close()]);
  }
}
