import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type Instant, isoFromInstant } from '../../core/instants.ts';
import { roomOf } from '../../local/watch-disk.ts';
import {
  type Base,
  baseFile,
  checkBase,
  endOfLog,
  listBases,
  listPositions,
  listSegments,
  type Segment,
  unbrokenRun,
  walFolder,
} from './archive-folder.ts';
import { type Lsn, lsnToText } from './lsn.ts';

/** Up to where the records are brought back: an instant, a sequence of the usage stream, or all that the archive has. */
export type RecoveryTarget = { at: Instant } | { countedTo: number } | 'newest';

/** How the records are brought back: from a copy, with the segments of the log behind it, as far as Postgres' own `settings` say. */
export type Recovery = { base: Base; segments: Segment[]; settings: Record<string, string> };

/**
 * Finds what brings the records to `target`: the newest copy from before it, and the log from there on. Throws where the archive has
 * nothing from before it, or lacks a segment, which is named.
 */
export async function planRecovery(archive: string, target: RecoveryTarget): Promise<Recovery> {
  const bases = await listBases(archive);
  if (bases.length === 0) throw new Error(`${archive} is no archive of the records: it has no copy of them.`);
  const { base, place, settings } = await findBase(bases, target);
  await checkBase(base);
  const { segment_bytes } = base.manifest;
  const { run, missing } = unbrokenRun(await listSegments(base.folder), base.segment, segment_bytes);
  // What follows a gap is of a later copy; of the newest one all must be there.
  const isNewest = base === bases.at(-1);
  if (missing !== undefined && (isNewest || run.length === 0))
    throw new Error(`wal/${missing}.gz of the archive is missing, in ${base.folder}.`);
  return { base, segments: run, settings: { ...settings, ...(await stopAt(place, base, run.at(-1))) } };
}

/** Postgres stops at a place only where something was written behind it; where nothing was, that is all there is. */
async function stopAt(place: Lsn | undefined, { folder, manifest }: Base, last: Segment | undefined) {
  if (place === undefined || !last || place >= (await endOfLog(folder, last, manifest.segment_bytes))) return {};
  return { recovery_target_lsn: lsnToText(place) };
}

type Found = Pick<Recovery, 'base' | 'settings'> & { place?: Lsn };

async function findBase(bases: Base[], target: RecoveryTarget): Promise<Found> {
  const [oldest] = bases;
  if (target === 'newest') {
    const base = bases.at(-1);
    if (base) return { base, settings: {} };
  } else if ('at' in target) {
    const base = bases.findLast(({ manifest }) => Date.parse(manifest.taken_at) <= target.at);
    // Postgres reads its files before it knows the names of zones, of which Z is one.
    const recovery_target_time = isoFromInstant(target.at).replace('Z', '+00');
    if (base) return { base, settings: { recovery_target_time } };
  } else {
    for (const base of bases.toReversed()) {
      const place = await findPlace(base, target.countedTo);
      if (place !== undefined) return { base, place, settings: {} };
    }
  }
  throw new Error(
    `The archive's oldest copy of the records is of ${oldest?.manifest.taken_at}: it has nothing from before.`,
  );
}

/** The last place behind the copy where the records had counted no further than this. */
async function findPlace({ folder, manifest }: Base, countedTo: number): Promise<Lsn | undefined> {
  const known = (await listPositions(folder)).filter((one) => one.lsn >= manifest.end);
  return known.findLast((one) => one.counted_to <= countedTo)?.lsn;
}

/**
 * Writes a data directory for Postgres into `folder`, which is empty or not there: at its first start Postgres brings itself to where
 * the recovery leads, and then serves. Throws where the disk has not enough room.
 */
export async function writeDataDirectory({ base, segments, settings }: Recovery, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0)
    throw new Error(`${folder} is not empty: records are brought back into a folder of their own. Move it away.`);
  const { segment_bytes, unpacked_bytes } = base.manifest;
  const needed = unpacked_bytes + segments.length * segment_bytes;
  const { free } = roomOf(folder);
  if (free < needed)
    throw new Error(`The disk of ${folder} has ${megabytes(free)} MB free, and ${megabytes(needed)} MB are needed.`);
  await unpack(join(base.folder, baseFile(base.segment)), folder);
  for (const segment of segments) await placeSegment(base.folder, segment, join(folder, 'pg_wal'), segment_bytes);
  // The log is there already: what Postgres asks for beside it is not.
  const own = { ...settings, restore_command: 'false', recovery_target_action: 'promote' };
  const lines = Object.entries(own).map(([name, value]) => `${name} = '${value}'\n`);
  await appendFile(join(folder, 'postgresql.auto.conf'), lines.join(''));
  await writeFile(join(folder, 'recovery.signal'), '', { flush: true });
}

/** The settings that {@link writeDataDirectory} has written. */
export const RECOVERY_SETTINGS = [
  'restore_command',
  'recovery_target_action',
  'recovery_target_time',
  'recovery_target_lsn',
];

/** A data directory and its log are large, and each piece on its way costs a few calls: in Node's own pieces of 16 KiB they take three times the CPU. */
const PIECES = { highWaterMark: 2 ** 18, chunkSize: 2 ** 18 };

async function unpack(file: string, folder: string): Promise<void> {
  const tar = spawn('tar', ['-x', '-C', folder], { stdio: ['pipe', 'ignore', 'pipe'] });
  const said: Buffer[] = [];
  tar.stderr.on('data', (part: Buffer) => said.push(part));
  const [ended] = await Promise.all([
    once(tar, 'close') as Promise<[number | null]>,
    pipeline(createReadStream(file, PIECES), createGunzip(PIECES), tar.stdin),
  ]);
  if (ended[0] !== 0) throw new Error(`tar could not unpack ${file}: ${Buffer.concat(said)}`);
}

/** The newest segment is as long as it had come: Postgres finds the end of the log in it. It may become whole meanwhile. */
async function placeSegment(life: string, { name, file, isWhole }: Segment, to: string, bytes: number): Promise<void> {
  const path = join(to, name);
  const source = join(walFolder(life), file);
  if (!isWhole && !existsSync(source))
    return placeSegment(life, { name, file: `${name}.gz`, isWhole: true }, to, bytes);
  const sink = createWriteStream(path, { mode: 0o600, flush: true });
  await (isWhole
    ? pipeline(createReadStream(source, PIECES), createGunzip(PIECES), sink)
    : pipeline(createReadStream(source, PIECES), sink));
  await truncate(path, bytes);
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 2 ** 20);
}
