import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { z } from 'zod';

/** What a backup is: written last, so that a folder without it is none. */
export type Manifest = z.infer<typeof manifestSchema>;
export type BackupFile = Manifest['files'][number];

/** A whole backup, or an increment of one: what `follows` is only what the one before, of that checksum, lacks. */
const manifestSchema = z.object({
  /** 1: whole; 2: an increment, which an earlier release would take for whole. */
  format: z.union([z.literal(1), z.literal(2)]),
  follows: z.object({ sha256: z.string() }).optional(),
  taken_at: z.string(),
  /** Tables in an order in which they can be filled. */
  books: z.object({ migrations: z.array(z.string()), tables: z.array(z.string()) }),
  usage: z.object({ migrations: z.array(z.string()) }),
  /** `landed_to`: the sequence of the usage stream up to which the backup holds every event. */
  stream: z.object({ epoch: z.int(), partitions: z.int(), landed_to: z.int() }),
  /** Names below the folder, in the order in which they were read and are to be restored. */
  files: z.array(z.object({ name: z.string(), bytes: z.int(), sha256: z.string(), rows: z.int().optional() })),
});

/** One folder of a backup, the whole one or an increment, and what it is. `sha256`: of its manifest. */
export type BackupStep = { name: string; folder: string; manifest: Manifest; sha256: string };

const MANIFEST = 'backup.json';
/** Increments are folders within the whole backup's, counted from 1. */
const INCREMENT = /^\d{4,}$/;
const nameOfStep = (step: number) => (step === 0 ? 'the whole backup' : `increment ${folderOfStep(step)}`);
const folderOfStep = (step: number) => String(step).padStart(4, '0');

/** Names of the files of a backup. */
export const recordsFile = (table: string) => `books/${table}.ndjson.gz`;
export const usageFile = (page: number, table: string) => `usage/${String(page).padStart(6, '0')}-${table}.native.gz`;
export const DEAD_LETTERS_FILE = 'dead-letters.ndjson.gz';

/** Makes the folder of a new backup, for its owner alone. Throws where something is in it. */
export async function makeBackupFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0)
    throw new Error(`${folder} is not empty. A backup needs a folder of its own.`);
}

/** Writes a file of a backup, compressed and on disk when it returns; one that is there is replaced. */
export async function writeBackupFile(
  folder: string,
  name: string,
  source: Readable | AsyncIterable<string | Buffer>,
): Promise<BackupFile> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const hash = createHash('sha256');
  const sink = createWriteStream(path, { mode: 0o600, flush: true });
  await pipeline(
    source,
    createGzip({ level: 1 }),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    },
    sink,
  );
  return { name, bytes: sink.bytesWritten, sha256: hash.digest('hex') };
}

/** Makes a folder a backup: the last step of taking one. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const draft = join(folder, `${MANIFEST}.draft`);
  await writeFile(draft, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(draft, join(folder, MANIFEST));
}

/** What is in the folder of a backup before its manifest is. */
const PARTS = ['books', 'usage', DEAD_LETTERS_FILE, `${MANIFEST}.draft`];

/** Clears a folder in which a whole backup was cut off: it has nothing but parts of one, and no manifest. */
export async function clearCutOff(folder: string): Promise<void> {
  const found = await readdir(folder);
  if (!found.every((name) => PARTS.includes(name))) return;
  for (const name of found) await rm(join(folder, name), { recursive: true });
}

/** Makes the folder of the next increment, in place of one that was cut off. */
export async function makeIncrementFolder(folder: string, steps: readonly BackupStep[]): Promise<string> {
  const next = join(folder, folderOfStep(steps.length));
  await rm(next, { recursive: true, force: true });
  await makeBackupFolder(next);
  return next;
}

/**
 * Reads what a backup and its increments are, the whole one first. Empty where nothing is in the folder yet. Throws where it is no
 * backup, where one of them is missing, or does not go on where the one before ended.
 */
export async function readSteps(folder: string): Promise<BackupStep[]> {
  const found = await readdir(folder).catch(() => []);
  if (found.length === 0) return [];
  const numbers = found.filter((name) => INCREMENT.test(name)).map(Number);
  const steps: BackupStep[] = [];
  for (let step = 0; step <= Math.max(0, ...numbers); step++) {
    const at = step === 0 ? folder : join(folder, folderOfStep(step));
    const text = await readFile(join(at, MANIFEST), 'utf8').catch(() => undefined);
    if (text === undefined) {
      if (step === 0) throw new Error(`${folder} is no backup: it has no ${MANIFEST}.`);
      // The newest may have been cut off while it was taken; behind any other there is more.
      if (step === Math.max(...numbers)) break;
      throw new Error(
        `${folder} is not whole: ${nameOfStep(step)} is missing, and ${nameOfStep(step + 1)} goes on there.`,
      );
    }
    const manifest = manifestSchema.parse(JSON.parse(text));
    if (manifest.follows?.sha256 !== steps.at(-1)?.sha256) {
      const before =
        step === 0 ? 'is an increment of another one' : `does not go on where ${nameOfStep(step - 1)} ended`;
      throw new Error(`${folder} is no backup: ${nameOfStep(step)} ${before}.`);
    }
    const sha256 = createHash('sha256').update(text).digest('hex');
    steps.push({ name: nameOfStep(step), folder: at, manifest, sha256 });
  }
  return steps;
}

/** As {@link readSteps}, and every file of it. Throws where there is no backup, or a file is not as it was written. */
export async function checkBackup(folder: string): Promise<BackupStep[]> {
  const steps = await readSteps(folder);
  if (steps.length === 0) throw new Error(`${folder} is no backup: it has no ${MANIFEST}.`);
  for (const step of steps) {
    for (const { name, sha256 } of step.manifest.files) {
      const hash = createHash('sha256');
      await pipeline(createReadStream(join(step.folder, name)), hash).catch(() => {
        throw new Error(`${name} of ${step.name} is missing.`);
      });
      if (hash.digest('hex') !== sha256) throw new Error(`${name} of ${step.name} is not as it was written.`);
    }
  }
  return steps;
}

/** The contents of a file of a backup. */
export function readBackupFile(folder: string, name: string): Readable {
  return createReadStream(join(folder, name)).pipe(createGunzip());
}

/** The lines of a file of a backup; none is read before the first is asked for (a readline interface would lose them). */
export async function* readBackupLines(folder: string, name: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of readBackupFile(folder, name).setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
