import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { chmod, copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { isoFromInstant } from '../../core/instants.ts';
import { PASSWORD_FILE, postgresPrograms } from '../../local/engines/postgres.ts';
import { giveTo, postgresUser } from '../../local/engines/postgres-user.ts';
import { endLeftovers } from '../../local/leftovers.ts';
import { holdName } from '../../local/name-lock.ts';
import { type Clock, systemClock } from '../../runtime/clock.ts';
import { type LauncherConfig, loadLauncherConfig } from '../../runtime/config.ts';
import { loadRecordsPosition } from '../../sql/clickhouse/usage/counted-positions.ts';
import { createPool, type Pool } from '../../sql/postgres/postgres.ts';
import { insertRestore } from '../../sql/postgres/restores.ts';
import { isRecovering, loadReplayedAt, resetSettings } from '../../sql/postgres/wal-place.ts';
import { sequenceOf } from '../../stream/positions.ts';
import { BadUsage } from '../bad-usage.ts';
import { NOT_NEEDED, withEngines } from '../with-stores.ts';
import {
  planRecovery,
  RECOVERY_SETTINGS,
  type Recovery,
  type RecoveryTarget,
  writeDataDirectory,
} from './plan-recovery.ts';

const RECOVERING_POLL_MS = 100;

/**
 * `npm run cli -- restore-records <archive> [--to <instant> | --to-position <sequence>] [--into <folder>]`: brings the records of
 * `DATA_DIR` back, or writes a data directory for another Postgres. Prints `{copy, segments, restored_to, counted_to}`, or `{copy,
 * segments, into}`.
 */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { to: { type: 'string' }, 'to-position': { type: 'string' }, into: { type: 'string' } },
  });
  const [archive, ...rest] = positionals;
  if (!archive || rest.length > 0) throw new BadUsage('The folder of the archive is missing.');
  const recovery = await planRecovery(archive, targetOf(values.to, values['to-position']));
  const told = { copy: recovery.base.manifest.taken_at, segments: recovery.segments.length };
  if (values.into !== undefined) {
    await writeDataDirectory(recovery, values.into);
    console.log(JSON.stringify({ ...told, into: values.into }));
    return 0;
  }
  console.log(JSON.stringify({ ...told, ...(await bringBack(recovery, loadLauncherConfig(), systemClock)) }));
  return 0;
}

function targetOf(instant: string | undefined, position: string | undefined): RecoveryTarget {
  if (instant !== undefined && position !== undefined) throw new BadUsage('Either --to or --to-position, not both.');
  if (instant !== undefined) {
    const at = Date.parse(instant);
    if (Number.isNaN(at) || !/(Z|[+-]\d\d:\d\d)$/.test(instant))
      throw new BadUsage(`--to is ${instant}: it must be an instant with its zone, such as 2026-11-23T04:00:00Z.`);
    return { at };
  }
  if (position === undefined) return 'newest';
  if (!/^\d{1,15}$/.test(position))
    throw new BadUsage(
      `--to-position is ${position}: it must be a sequence of the usage stream, such as a backup's landed_to.`,
    );
  return { countedTo: Number(position) };
}

/** What the records are afterwards: as of when, and up to which sequence of the usage stream they have counted. */
export type BroughtBack = { restored_to: string; counted_to: number };

/** Whose records they are: `dataDir` has the password that they know. */
type Place = Pick<LauncherConfig, 'dataDir' | 'cacheDir' | 'environment'>;

/**
 * Brings the records of a stopped stack back: they must be gone from its folder, with everything else still there. They take their place once they
 * are whole and told of the restore, so that workflows look again; until then nothing has changed. Throws where something is in the way.
 */
export async function bringBack(recovery: Recovery, place: Place, clock: Clock): Promise<BroughtBack> {
  await mkdir(place.dataDir, { recursive: true });
  const dataDir = realpathSync(place.dataDir);
  const lock = await holdName(`stack/${dataDir}`);
  if (!lock) throw new Error(`A stack runs on ${dataDir}: stop it first.`);
  const [folder, beside] = [join(dataDir, 'postgres'), join(dataDir, 'postgres.restored')];
  try {
    if (existsSync(folder)) throw new Error(`${folder} is still there. Move it away: records are brought back whole.`);
    const back = await bringBackBeside(recovery, place, beside, clock);
    await rename(join(beside, 'postgres'), folder);
    return back;
  } finally {
    await rm(beside, { recursive: true, force: true });
    lock.release();
  }
}

/**
 * Brings records back in `folder`, in the place of what is there, with a Postgres that runs for as long as that takes; `look` may ask them
 * then. They are in `postgres` below it afterwards.
 */
export async function bringBackBeside(
  recovery: Recovery,
  { dataDir, cacheDir, environment }: Place,
  folder: string,
  clock: Clock,
  look: (databaseUrl: string) => Promise<void> = async () => {},
): Promise<BroughtBack> {
  const password = join(dataDir, PASSWORD_FILE);
  if (!existsSync(password))
    throw new Error(
      `${password} is missing: put it back, these records know no other. Or use --into, for another server.`,
    );
  await endLeftovers(folder);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  // Postgres does not run as root: its own user must be able to walk to its folder.
  await chmod(folder, 0o755);
  await copyFile(password, join(folder, PASSWORD_FILE));
  const records = join(folder, 'postgres');
  await writeDataDirectory(recovery, records);
  giveTo(postgresUser(records, (await postgresPrograms()).postgres, environment.PATH ?? ''), records);
  const given = { natsUrl: NOT_NEEDED, clickhouseUrl: NOT_NEEDED, temporalAddress: NOT_NEEDED };
  try {
    return await withEngines({ dataDir: folder, cacheDir, environment, given }, async ({ databaseUrl }) => {
      const back = await finish(databaseUrl, recovery, clock);
      await look(databaseUrl);
      return back;
    });
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}${saidByPostgres(folder)}`, { cause: error });
  }
}

/** Waits until Postgres is where it was to be brought, and tells the records of it. */
async function finish(databaseUrl: string, { base }: Recovery, clock: Clock): Promise<BroughtBack> {
  const postgres = createPool(databaseUrl, 0, 1);
  try {
    await untilRecovered(postgres);
    const replayed = await loadReplayedAt(postgres);
    const restored_to = replayed === null ? base.manifest.taken_at : isoFromInstant(replayed);
    await insertRestore(postgres, clock.now(), restored_to);
    await resetSettings(postgres, RECOVERY_SETTINGS);
    return { restored_to, counted_to: sequenceOf(await loadRecordsPosition(postgres)) };
  } finally {
    await postgres.end();
  }
}

/** Waits until Postgres has come to where it was to be brought: it answers before that. */
export async function untilRecovered(postgres: Pool): Promise<void> {
  while (await isRecovering(postgres)) await sleep(RECOVERING_POLL_MS);
}

/** Why it ended, where it has. */
function saidByPostgres(dataDir: string): string {
  const log = join(dataDir, 'logs', 'postgres.log');
  const fatal =
    existsSync(log) &&
    readFileSync(log, 'utf8')
      .split('\n')
      .findLast((line) => line.includes('FATAL:'));
  if (!fatal) return '';
  const advice = fatal.includes(TARGET_NOT_REACHED)
    ? '\nThe archive has no change from behind that point: leave it out, and the records are brought to their newest state.'
    : '';
  return `\nPostgres: ${fatal.slice(fatal.indexOf('FATAL:'))}${advice}`;
}

/** Postgres stops at an instant only where it finds a change from behind it. */
const TARGET_NOT_REACHED = 'before configured recovery target was reached';
