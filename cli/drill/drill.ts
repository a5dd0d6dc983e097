import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Instant } from '../../core/instants.ts';
import { holdName } from '../../local/name-lock.ts';
import { roomOf } from '../../local/watch-disk.ts';
import { systemClock } from '../../runtime/clock.ts';
import { loadLauncherConfig, loadProcessConfig } from '../../runtime/config.ts';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import { type BackupDrill, type DrillFinding, insertDrill } from '../../sql/postgres/backup-drills.ts';
import { createPool } from '../../sql/postgres/postgres.ts';
import { type BackupStep, readSteps } from '../backup-folder.ts';
import { BadUsage } from '../bad-usage.ts';
import { commandCipher } from '../command-cipher.ts';
import { restoreBackup, type SecretsPolicy } from '../restore.ts';
import { newestOf } from '../restore-usage.ts';
import { Interrupted, NOT_NEEDED, type StoreAddresses, withEngines, withStores } from '../with-stores.ts';
import { compareTotals, type Side } from './compare-totals.ts';
import { drillArchive } from './drill-archive.ts';
import { inDrillFolder } from './drill-folder.ts';

/** A restored backup takes at most so many times the room of its files, and the engines a little beside. */
const ROOM_FACTOR = 12;
const ROOM_BESIDE = 512 * 2 ** 20;
/** Of more findings nobody learns more. */
const FINDINGS_SHOWN = 100;
/** Totals read everything there is. */
const TOTALS_LIMIT_MS = 3_600_000;

const PASSED = 0;
const FAILED = 1;

/**
 * `npm run cli -- drill <folder> [--archive <archive>]`: restores the newest backup of the folder, and the records of the archive, beside the running
 * stack and compares. Prints `{passed, backup, taken_at, seconds, findings}`, and keeps it in the records, where the worker's metrics read
 * it. Answers 0 where all is the same, else 1.
 */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { archive: { type: 'string' } } });
  const [folder, ...rest] = positionals;
  if (!folder || rest.length > 0)
    throw new BadUsage('The folder is missing: a backup, or one that holds several, of which the newest is taken.');
  const { drillStores, drillRecordsUrl } = loadLauncherConfig();
  if (values.archive !== undefined && drillStores && !drillRecordsUrl)
    throw new BadUsage(
      '--archive beside DRILL_DATABASE_URL needs DRILL_RECORDS_URL: a Postgres brought up from the archive.',
    );
  const secrets = { cipher: commandCipher(), withoutSecrets: false, clock: systemClock };
  const result = await withStores((running) => drill(running, { folder, archive: values.archive }, secrets));
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
 * Restores the newest backup of `folder`, and the records of `archive` where one is given, into engines of its own, which are gone afterwards,
 * compares them with `running`, and keeps there what came out. Whatever keeps one of them from being restored is a finding, too. Throws
 * where another drill is under way, and {@link Interrupted}.
 */
export async function drill(
  running: StoreAddresses,
  { folder, archive }: { folder: string; archive?: string | undefined },
  secrets: SecretsPolicy,
): Promise<DrillResult> {
  const begun = performance.now();
  const { dataDir } = loadLauncherConfig();
  const lock = await holdName(`drill/${dataDir}`);
  if (!lock) throw new Error(`Another drill is under way in ${dataDir}.`);
  try {
    let [backup, takenAt] = [folder, null as string | null];
    const found = await orFinding('the restore', async () => {
      const newest = await findNewest(folder);
      backup = newest.folder;
      takenAt = newestOf(newest.steps).manifest.taken_at;
      return besides(newest, (stores) => restoreAndCompare(stores, running, newest, secrets));
    });
    const inArchive =
      archive === undefined ? [] : await orFinding('the archive', () => drillArchive(archive, running, secrets.clock));
    const findings = firstOf([...found, ...inArchive]);
    await keep(running, { drilledAt: secrets.clock.now(), takenAt, findings });
    const seconds = Number(((performance.now() - begun) / 1_000).toFixed(1));
    return { passed: findings.length === 0, backup, taken_at: takenAt, seconds, findings };
  } finally {
    lock.release();
  }
}

/** The first of them, and how many more there are. */
export function firstOf(found: readonly DrillFinding[]): DrillFinding[] {
  const more = found.length - FINDINGS_SHOWN;
  if (more <= 0) return [...found];
  const rest = { what: `${more} more findings, which are not shown`, account_id: null, in_backup: '', running: '' };
  return [...found.slice(0, FINDINGS_SHOWN), rest];
}

async function orFinding(of: string, work: () => Promise<DrillFinding[]>): Promise<DrillFinding[]> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Interrupted || (error instanceof Error && error.cause instanceof Interrupted)) throw error;
    const what = `${of}: ${error instanceof Error ? error.message : error}`;
    return [{ what, account_id: null, in_backup: 'nothing', running: 'a running service' }];
  }
}

async function keep({ databaseUrl }: StoreAddresses, result: BackupDrill): Promise<void> {
  const postgres = createPool(databaseUrl, 0, 1);
  try {
    await insertDrill(postgres, result);
  } finally {
    await postgres.end();
  }
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
  return inDrillFolder(config, (dataDir) => {
    assertRoom(dataDir, steps);
    return withEngines({ ...config, dataDir, given: { temporalAddress: NOT_NEEDED } }, work);
  });
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
