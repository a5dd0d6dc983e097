import {
  closeSync,
  copyFileSync,
  fstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** How many bytes a log file may have, and how many files there may be, the current one included. */
export type LogLimits = { fileBytes: number; files: number };

export const LOG_LIMITS: LogLimits = { fileBytes: 20 * 2 ** 20, files: 3 };

/** How much of a log is searched for the reason of an end. */
const READ_BACK_BYTES = 64 * 1024;
/** Lines that engines and Node write for their worst problems, the worst first. */
const TELLING = [
  /\bFATAL|\bPANIC|\[FTL\]|panic:|^\w*Error: |"level":60|no space left/i,
  /\berror\b|\[ERR\]|"level":50/i,
];

/** Opens a log file for appending. Returns its descriptor and its present size. */
export function openLog(file: string): { descriptor: number; size: number } {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const descriptor = openSync(file, 'a', 0o600);
  try {
    return { descriptor, size: fstatSync(descriptor).size };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** Returns the size of a log file, 0 if there is none. */
export function logSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Moves the contents of a log that has reached its limit to `<file>.1`, and older ones to `.2` and so on. The process keeps the file open
 * for appending, so its contents are copied and cut off (decisions/log-rotation). Throws if the disk has no room for the copy.
 */
export function rotateLog(file: string, { fileBytes, files }: LogLimits): void {
  if (logSize(file) < fileBytes) return;
  const older = (n: number) => `${file}.${n}`;
  if (files > 1) {
    rmSync(older(files - 1), { force: true });
    for (let n = files - 2; n > 0; n--) if (logSize(older(n)) > 0) renameSync(older(n), older(n + 1));
    copyFileSync(file, older(1));
  }
  truncateSync(file);
}

/** Returns the line that says most about why a process ended, of the lines it has written since the byte `from`. */
export async function tellingLine(file: string, from: number): Promise<string | undefined> {
  const bytes = await readFile(file).catch(() => Buffer.alloc(0));
  const begin = Math.max(from <= bytes.length ? from : 0, bytes.length - READ_BACK_BYTES);
  const lines = bytes.subarray(begin).toString().split('\n');
  const written = lines.map((line) => line.trim()).filter((line) => line !== '');
  for (const pattern of TELLING) {
    const line = written.findLast((text) => pattern.test(text));
    if (line) return line;
  }
  return written.at(-1);
}
