import { closeSync, fdatasync, openSync, readSync, unlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { firstLines } from './lines.ts';

/** A file of events, a line each, that is only appended to and then removed as a whole. */
export type SpoolFile = {
  readonly path: string;
  /** Open for appending or a sync; undefined where it needs neither. */
  fd: number | undefined;
  /** Bytes of whole lines. */
  size: number;
  /** Lines, and how many of them have been answered. */
  events: number;
  answered: number;
  /** Bytes from the beginning that have been taken to be sent. */
  taken: number;
  /** Where in the file each batch begins that is under way. */
  readonly underWay: Set<number>;
  /** When its first event was appended, in milliseconds. */
  readonly since: number;
  isDirty: boolean;
  isSyncing: boolean;
};

/** A new file of our own. @throws as the file system does, where it is full too */
export function createSpoolFile(path: string, since: number): SpoolFile {
  return { ...spoolFileAt(path, since), fd: openSync(path, 'ax', 0o600) };
}

/**
 * A file that another process has left: its whole lines; one that was torn off at the end was never promised to anybody. It is read
 * through `bytes`.
 */
export async function findSpoolFile(path: string, bytes: Buffer): Promise<SpoolFile> {
  const handle = await open(path);
  try {
    const { birthtimeMs, mtimeMs } = await handle.stat();
    const file = spoolFileAt(path, birthtimeMs > 0 ? Math.min(birthtimeMs, mtimeMs) : mtimeMs);
    for (let at = 0; ; ) {
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, at);
      if (bytesRead === 0) return file;
      const { events, end } = firstLines(bytes.subarray(0, bytesRead), Number.POSITIVE_INFINITY);
      file.events += events;
      if (events > 0) file.size = at + end;
      at += bytesRead;
    }
  } finally {
    await handle.close();
  }
}

function spoolFileAt(path: string, since: number): SpoolFile {
  const counts = { size: 0, events: 0, answered: 0, taken: 0 };
  return { path, fd: undefined, ...counts, underWay: new Set(), since, isDirty: false, isSyncing: false };
}

/** Reads what has not been taken, as much as fits. Answers how many bytes. */
export function readOn(file: SpoolFile, bytes: Uint8Array): number {
  const fd = openSync(file.path, 'r');
  try {
    return readSync(fd, bytes, 0, Math.min(bytes.length, file.size - file.taken), file.taken);
  } finally {
    closeSync(fd);
  }
}

/** Puts on disk what a power cut would take. @throws as the file system does */
export async function syncSpoolFile(file: SpoolFile): Promise<void> {
  if (file.fd === undefined || file.isSyncing) return;
  file.isDirty = false;
  file.isSyncing = true;
  try {
    await promisify(fdatasync)(file.fd);
  } catch (error) {
    file.isDirty = true;
    throw error;
  } finally {
    file.isSyncing = false;
  }
}

/** All of it has been answered. */
export function removeSpoolFile(file: SpoolFile): void {
  unlinkSync(file.path);
  closeSpoolFile(file);
}

/** Unless a sync is under way, whose number would be another file's then: whoever asked for that one closes it. */
export function closeSpoolFile(file: SpoolFile): void {
  if (file.fd === undefined || file.isSyncing) return;
  closeSync(file.fd);
  file.fd = undefined;
}

/** The name of a spool's file: unique among all processes, so that whoever takes it over keeps it. */
export function spoolFileName(owner: string, number: number): string {
  return `${owner}-${String(number).padStart(8, '0')}.ndjson`;
}

export function isSpoolFile(path: string): boolean {
  return /^[0-9a-f]{12}-\d{8,}\.ndjson$/.test(basename(path));
}
