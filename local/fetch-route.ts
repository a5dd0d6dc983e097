import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { Binary, PinnedFile } from './binaries.ts';

export type FetchOptions = {
  /** The launcher's environment, which pip and Go inherit. */
  environment: Record<string, string | undefined>;
  say(line: string): void;
  signal?: AbortSignal;
};

/** One way to get a program. Returns its path in the folder `work`; throws with the reason if this way does not work here. */
export type Route = (binary: Binary, work: string, options: FetchOptions) => Promise<string>;

const RUN_MS = 10_000;

/** Throws if the SHA-256 of the file differs from the pinned one. */
export async function assertPinned(file: string, { sha256 }: PinnedFile): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  const actual = hash.digest('hex');
  if (actual !== sha256) throw new Error(`the checksum of ${basename(file)} is ${actual} instead of ${sha256}`);
}

/** Returns the path of the first file whose name fits, in the folder or below it. */
export async function findFile(folder: string, fits: (name: string) => boolean): Promise<string> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const file = files.find((entry) => entry.isFile() && fits(entry.name));
  if (!file) throw new Error('the download does not contain the program');
  return join(file.parentPath, file.name);
}

/** Returns the first line of `--version`, or null if the program does not run. */
export async function versionOf(path: string): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)(path, ['--version'], { timeout: RUN_MS });
    return stdout.split('\n')[0]?.trim() ?? '';
  } catch {
    return null;
  }
}
