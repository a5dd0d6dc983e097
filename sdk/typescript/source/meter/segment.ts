import { closeSync, fdatasync, openSync, readSync, unlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { firstLines } from './lines.ts';

/** A file of events, a line each, that is only appended to and then removed as a whole. */
export type Segment = {
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
export function createSegment(path: string, since: number): Segment {
  return { ...segmentAt(path, since), fd: openSync(path, 'ax', 0o600) };
}

/**
 * A file that another process has left: its whole lines; one that was torn off at the end was never promised to anybody. It is read
 * through `bytes`.
 */
export async function findSegment(path: string, bytes: Buffer): Promise<Segment> {
  const file = await open(path);
  try {
    const { birthtimeMs, mtimeMs } = await file.stat();
    const segment = segmentAt(path, birthtimeMs > 0 ? Math.min(birthtimeMs, mtimeMs) : mtimeMs);
    for (let at = 0; ; ) {
      const { bytesRead } = await file.read(bytes, 0, bytes.length, at);
      if (bytesRead === 0) return segment;
      const { events, end } = firstLines(bytes.subarray(0, bytesRead), Number.POSITIVE_INFINITY);
      segment.events += events;
      if (events > 0) segment.size = at + end;
      at += bytesRead;
    }
  } finally {
    await file.close();
  }
}

function segmentAt(path: string, since: number): Segment {
  const counts = { size: 0, events: 0, answered: 0, taken: 0 };
  return { path, fd: undefined, ...counts, underWay: new Set(), since, isDirty: false, isSyncing: false };
}

/** Reads what has not been taken, as much as fits. Answers how many bytes. */
export function readOn(segment: Segment, bytes: Uint8Array): number {
  const fd = openSync(segment.path, 'r');
  try {
    return readSync(fd, bytes, 0, Math.min(bytes.length, segment.size - segment.taken), segment.taken);
  } finally {
    closeSync(fd);
  }
}

/** Puts on disk what a power cut would take. @throws as the file system does */
export async function syncSegment(segment: Segment): Promise<void> {
  if (segment.fd === undefined || segment.isSyncing) return;
  segment.isDirty = false;
  segment.isSyncing = true;
  try {
    await promisify(fdatasync)(segment.fd);
  } catch (error) {
    segment.isDirty = true;
    throw error;
  } finally {
    segment.isSyncing = false;
  }
}

/** All of it has been answered. */
export function removeSegment(segment: Segment): void {
  unlinkSync(segment.path);
  closeSegment(segment);
}

/** Unless a sync is under way, whose number would be another file's then: whoever asked for that one closes it. */
export function closeSegment(segment: Segment): void {
  if (segment.fd === undefined || segment.isSyncing) return;
  closeSync(segment.fd);
  segment.fd = undefined;
}

/** The name of a segment: unique among all processes, so that whoever takes it over keeps it. */
export function segmentName(owner: string, number: number): string {
  return `${owner}-${String(number).padStart(8, '0')}.ndjson`;
}

export function isSegment(path: string): boolean {
  return /^[0-9a-f]{12}-\d{8,}\.ndjson$/.test(basename(path));
}
