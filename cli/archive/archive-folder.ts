import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { appendFile, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import type { Instant } from '../../core/instants.ts';
import { type Lsn, lsnFromText, lsnToText, segmentName, startOfSegment } from './lsn.ts';
import type { PostgresSystem } from './replication.ts';

/*
 * An archive of the records: one folder for each life of a Postgres (`<system>-<timeline>`), with copies of its data directory
 * (`base-<segment>.tar.gz`, named by the first segment of the log that it needs), the log since the oldest (`wal/<segment>.gz`, the newest
 * as `wal/<segment>.partial`, as it grows), and how far the usage stream had been counted where (`positions.ndjson`).
 */

const lsn = z.string().transform((text) => lsnFromText(text));
/** What a copy is: written last, so that a tar without it is none. */
const baseSchema = z.object({
  format: z.literal(1),
  /** When it had been copied: the first instant that it can be brought to. */
  taken_at: z.iso.datetime(),
  start: lsn,
  end: lsn,
  segment_bytes: z.int(),
  /** Of the data directory. */
  unpacked_bytes: z.int(),
  sha256: z.string(),
});

/** A copy, where it is, and the name of the first segment that it needs. */
export type Base = { folder: string; segment: string; manifest: z.infer<typeof baseSchema> };

/** At `at` the records had counted the usage stream up to `counted_to` at most, wherever the log is replayed to `lsn`. */
export type KnownPosition = z.infer<typeof positionSchema>;
const positionSchema = z.object({ at: z.iso.datetime(), lsn, counted_to: z.int() });

const BASE = /^base-([0-9A-F]{24})\.json$/;
const SEGMENT = /^([0-9A-F]{24})\.(gz|partial)$/;
const LIFE = /^\d+-\d+$/;

/** The folder of one life of a Postgres. */
export const lifeFolder = (archive: string, { systemId, timeline }: PostgresSystem) =>
  join(archive, `${systemId}-${timeline}`);
export const baseFile = (segment: string) => `base-${segment}.tar.gz`;
const baseManifest = (segment: string) => `base-${segment}.json`;
export const walFolder = (life: string) => join(life, 'wal');
const positionsFile = (life: string) => join(life, 'positions.ndjson');

/** Every copy in the archive, the oldest first. Throws where a manifest is not one. */
export async function listBases(archive: string): Promise<Base[]> {
  const bases = await Promise.all((await listLives(archive)).map(listBasesOf));
  return bases.flat().sort((a, b) => Date.parse(a.manifest.taken_at) - Date.parse(b.manifest.taken_at));
}

async function listLives(archive: string): Promise<string[]> {
  const names = await readdir(archive).catch((): string[] => []);
  return names.filter((name) => LIFE.test(name)).map((name) => join(archive, name));
}

async function listBasesOf(folder: string): Promise<Base[]> {
  const segments = (await readdir(folder)).flatMap((name) => BASE.exec(name)?.[1] ?? []);
  return Promise.all(
    segments.map(async (segment) => {
      const text = await readFile(join(folder, baseManifest(segment)), 'utf8');
      return { folder, segment, manifest: baseSchema.parse(JSON.parse(text)) };
    }),
  );
}

/** Makes a copy whose tar is there one of the archive. */
export async function writeBaseManifest(folder: string, segment: string, manifest: z.input<typeof baseSchema>) {
  const path = join(folder, baseManifest(segment));
  await writeFile(`${path}.draft`, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(`${path}.draft`, path);
}

/** Throws where a copy is not as it was written. */
export async function checkBase({ folder, segment, manifest }: Base): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(join(folder, baseFile(segment))), hash).catch(() => {
    throw new Error(`${baseFile(segment)} of the archive is missing.`);
  });
  if (hash.digest('hex') !== manifest.sha256)
    throw new Error(`${baseFile(segment)} of the archive is not as it was written.`);
}

/** A file of the log: whole and compressed, or as far as it had come. */
export type Segment = { name: string; file: string; isWhole: boolean };

/** The log's files of one life, in order. */
export async function listSegments(life: string): Promise<Segment[]> {
  const found = (await readdir(walFolder(life)).catch(() => [])).flatMap((file) => {
    const [, name, kind] = SEGMENT.exec(file) ?? [];
    return name === undefined ? [] : [{ name, file, isWhole: kind === 'gz' }];
  });
  const whole = new Set(found.filter(({ isWhole }) => isWhole).map(({ name }) => name));
  // Of one that was just completed both may be there.
  const segments = found.filter(({ name, isWhole }) => isWhole || !whole.has(name));
  return segments.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * The segments from `first` on that follow each other, and the name of the first that is missing, or not whole, before others that are
 * there: Postgres takes the end of one that is not whole for the end of the log.
 */
export function unbrokenRun(segments: readonly Segment[], first: string, segmentBytes: number) {
  const timeline = Number.parseInt(first.slice(0, 8), 16);
  const start = startOfSegment(first, segmentBytes);
  const after = segments.filter(({ name }) => name >= first);
  const run: Segment[] = [];
  for (const [i, segment] of after.entries()) {
    const wanted = segmentName(timeline, start + BigInt(run.length) * BigInt(segmentBytes), segmentBytes);
    const isCut = !segment.isWhole && i < after.length - 1;
    if (segment.name !== wanted || isCut) return { run, missing: wanted };
    run.push(segment);
  }
  return { run, missing: run.length === 0 ? first : undefined };
}

/** Where the log of a life ends, of which `last` is the newest segment. */
export async function endOfLog(life: string, last: Segment, segmentBytes: number): Promise<Lsn> {
  const bytes = last.isWhole ? segmentBytes : (await stat(join(walFolder(life), last.file))).size;
  return startOfSegment(last.name, segmentBytes) + BigInt(bytes);
}

/** Adds a position to those of a life. */
export async function addPosition(life: string, position: z.input<typeof positionSchema>): Promise<void> {
  await appendFile(positionsFile(life), `${JSON.stringify(position)}\n`, { mode: 0o600 });
}

/** The positions of a life, the earliest first. A line that was cut off is passed over. */
export async function listPositions(life: string): Promise<KnownPosition[]> {
  const text = await readFile(positionsFile(life), 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    try {
      return [positionSchema.parse(JSON.parse(line))];
    } catch {
      return [];
    }
  });
}

/** Lets go of the positions from before a segment. */
async function forgetPositions(life: string, segment: string, segmentBytes: number): Promise<void> {
  const start = startOfSegment(segment, segmentBytes);
  const kept = (await listPositions(life)).filter((one) => one.lsn >= start);
  const lines = kept.map((one) => `${JSON.stringify({ ...one, lsn: lsnToText(one.lsn) })}\n`);
  const path = positionsFile(life);
  await writeFile(`${path}.draft`, lines.join(''), { mode: 0o600, flush: true });
  await rename(`${path}.draft`, path);
}

/**
 * Lets go of copies that ended before `before` and of the log that only they need; the newest copy stays in any case. Goes on with what
 * it has not come to the last time, and with what a copy has left that was cut off.
 */
export async function pruneArchive(archive: string, before: Instant): Promise<void> {
  const bases = await listBases(archive);
  const kept = bases.filter(({ manifest }, i) => i === bases.length - 1 || Date.parse(manifest.taken_at) >= before);
  for (const life of await listLives(archive)) {
    await pruneLife(
      life,
      kept.filter(({ folder }) => folder === life),
    );
  }
}

async function pruneLife(life: string, kept: readonly Base[]): Promise<void> {
  const [first] = kept.toSorted((a, b) => (a.segment < b.segment ? -1 : 1));
  if (!first) return rm(life, { recursive: true });
  const needed = new Set(kept.flatMap(({ segment }) => [baseManifest(segment), baseFile(segment)]));
  // In this order a manifest goes before its tar: without it the copy is none.
  for (const name of (await readdir(life)).toSorted())
    if (name.startsWith('base-') && !needed.has(name)) await rm(join(life, name));
  for (const file of await readdir(walFolder(life)))
    if (file.slice(0, first.segment.length) < first.segment) await rm(join(walFolder(life), file));
  await forgetPositions(life, first.segment, first.manifest.segment_bytes);
}
