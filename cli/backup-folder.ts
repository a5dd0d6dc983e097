import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { z } from 'zod';

/** What a backup is: written last, so that a folder without it is none. */
export type Manifest = z.infer<typeof manifestSchema>;
export type BackupFile = Manifest['files'][number];

const manifestSchema = z.object({
  format: z.literal(1),
  taken_at: z.string(),
  /** Tables in an order in which they can be filled. */
  books: z.object({ migrations: z.array(z.string()), tables: z.array(z.string()) }),
  usage: z.object({ migrations: z.array(z.string()) }),
  /** `landed_to`: the sequence of the usage stream up to which the backup holds every event. */
  stream: z.object({ epoch: z.int(), partitions: z.int(), landed_to: z.int() }),
  /** Names below the folder, in the order in which they were read and are to be restored. */
  files: z.array(z.object({ name: z.string(), bytes: z.int(), sha256: z.string() })),
});

const MANIFEST = 'backup.json';

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

/** Writes a file of a backup, compressed and on disk when it returns. */
export async function writeBackupFile(
  folder: string,
  name: string,
  source: Readable | AsyncIterable<string>,
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

/** Reads what a backup is, and every file of it. Throws where it is none, or not as it was written. */
export async function checkBackup(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => {
    throw new Error(`${folder} is no backup: it has no ${MANIFEST}.`);
  });
  const manifest = manifestSchema.parse(JSON.parse(text));
  for (const { name, sha256 } of manifest.files) {
    const hash = createHash('sha256');
    await pipeline(createReadStream(join(folder, name)), hash);
    if (hash.digest('hex') !== sha256) throw new Error(`${name} of the backup is not as it was written.`);
  }
  return manifest;
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
