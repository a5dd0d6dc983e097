import { ftruncateSync, writeSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { now } from '../clock.ts';
import { InvalidEventError, SpoolFullError } from './errors.ts';
import { firstLines, type Lines } from './lines.ts';
import { codeOf, createFolder, leaveFolder, type OwnedFolder, takeOverDead } from './owned-folder.ts';
import {
  closeSegment,
  createSegment,
  findSegment,
  isSegment,
  readOn,
  removeSegment,
  type Segment,
  segmentName,
  syncSegment,
} from './segment.ts';

/** A segment is removed when all of it has been answered; what a kill has sent again is at most one for each. */
export const SEGMENT_BYTES = 1_048_576;
/** What the service takes of one event, without the end of its line. */
const MAX_EVENT_BYTES = 65_536;
/** Read at once of a file whose lines are counted. */
const COUNTED_BYTES = 262_144;
const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** Lines of one segment that are sent together. `isOurs`: each looks as a meter writes it; else a power cut has made some of them. */
export type Batch = Lines & { isOurs: boolean; segment: Segment; from: number };

/** All that stood in the spool at a moment. */
export type Mark = { segment: Segment; size: number }[];

export type SpoolOptions = { spoolDir: string; maxSpoolBytes: number; fsyncMs: number; onError(error: unknown): void };

/** The events on disk: appended to one file, taken from the oldest, removed file by file once they have been answered. */
export class Spool {
  /** Not answered: what has been appended and what was found. */
  pending = 0;
  /** Of these, not taken to be sent. */
  untaken = 0;
  /** Of all segments. */
  bytes = 0;

  readonly #options: SpoolOptions;
  readonly #folder: OwnedFolder;
  /** The oldest first; the last one of ours may be appended to. */
  readonly #segments = new Set<Segment>();
  #active: Segment | undefined;
  #number = 0;
  /** Since the names in the folder were put on disk. */
  #hasNewFile = false;
  #sync: NodeJS.Timeout | undefined;
  /** A character of a string is at most three bytes. */
  readonly #line = Buffer.allocUnsafe(3 * (MAX_EVENT_BYTES + 1));
  readonly #read = Buffer.allocUnsafe(SEGMENT_BYTES);

  private constructor(options: SpoolOptions, folder: OwnedFolder) {
    this.#options = options;
    this.#folder = folder;
  }

  /** Opens it with all that dead meters have left there. */
  static async open(options: SpoolOptions): Promise<Spool> {
    const spool = new Spool(options, await createFolder(options.spoolDir));
    await spool.takeOver();
    return spool;
  }

  /** Takes over what meters have left that have died since. */
  async takeOver(): Promise<void> {
    await takeOverDead(this.#options.spoolDir, this.#folder);
    const bytes = Buffer.allocUnsafe(COUNTED_BYTES);
    const known = new Set([...this.#segments].map(({ path }) => path));
    for (const name of (await readdir(this.#folder.path)).sort()) {
      const path = join(this.#folder.path, name);
      if (!isSegment(name) || name.startsWith(this.#folder.id) || known.has(path)) continue;
      const segment = await findSegment(path, bytes);
      this.#segments.add(segment);
      this.pending += segment.events;
      this.untaken += segment.events;
      this.bytes += segment.size;
      this.#removeIfAnswered(segment);
    }
  }

  /**
   * Writes a line to the file, whole or not at all.
   * @throws SpoolFullError, InvalidEventError for one that is too long
   */
  append(line: string): void {
    const length = line.length > MAX_EVENT_BYTES + 1 ? line.length : this.#line.write(line);
    if (length > MAX_EVENT_BYTES + 1)
      throw new InvalidEventError({ event: ['Must be at most 64 KiB as compact JSON.'] });
    const { maxSpoolBytes } = this.#options;
    if (this.bytes + length > maxSpoolBytes) throw new SpoolFullError(`The spool holds ${maxSpoolBytes} bytes.`);
    const segment = this.#appendable();
    if (segment.fd === undefined) throw new Error('The segment is closed.');
    this.#write(segment, segment.fd, length);
    segment.size += length;
    segment.events += 1;
    this.bytes += length;
    this.pending += 1;
    this.untaken += 1;
    if (!segment.isDirty) this.#syncLater(segment);
  }

  /** The oldest lines that have not been taken: at most so many, of one segment. */
  take(maxEvents: number): Batch | undefined {
    for (const segment of this.#segments) {
      if (segment.taken === segment.size) continue;
      const read = this.#read.subarray(0, readOn(segment, this.#read));
      const { events, end, isOurs } = firstLines(read, maxEvents);
      if (events === 0) throw new Error(`${segment.path} has no line at ${segment.taken}.`);
      const from = segment.taken;
      segment.taken += end;
      segment.underWay.add(from);
      this.untaken -= events;
      return { bytes: Buffer.from(read.subarray(0, end)), events, isOurs, segment, from };
    }
    return undefined;
  }

  /** All of a batch has been answered. */
  settle({ segment, from, events }: Batch): void {
    segment.underWay.delete(from);
    segment.answered += events;
    this.pending -= events;
    this.#removeIfAnswered(segment);
  }

  mark(): Mark {
    return [...this.#segments].map((segment) => ({ segment, size: segment.size }));
  }

  /** Whether all has been answered that stood there at that moment. */
  isAnswered(mark: Mark): boolean {
    return mark.every(
      ({ segment, size }) =>
        !this.#segments.has(segment) || (segment.taken >= size && [...segment.underWay].every((from) => from >= size)),
    );
  }

  /** When the oldest event came that may be pending; null where none is. */
  oldestSince(): number | null {
    if (this.pending === 0) return null;
    return [...this.#segments].reduce((oldest, { since }) => Math.min(oldest, since), Number.POSITIVE_INFINITY);
  }

  /** Puts all on disk and lets go of it. */
  async close(): Promise<void> {
    clearTimeout(this.#sync);
    await this.#syncAll();
    for (const segment of this.#segments) {
      if (segment.events === 0) removeSegment(segment);
      else closeSegment(segment);
    }
    await leaveFolder(this.#folder);
  }

  #appendable(): Segment {
    if (this.#active && this.#active.size < SEGMENT_BYTES) return this.#active;
    if (this.#active && !this.#active.isDirty) closeSegment(this.#active);
    const path = join(this.#folder.path, segmentName(this.#folder.id, this.#number + 1));
    this.#active = orFull(() => createSegment(path, now()));
    this.#number += 1;
    this.#hasNewFile = true;
    this.#segments.add(this.#active);
    return this.#active;
  }

  /** Of a write that the disk had room for in part, nothing stays. */
  #write(segment: Segment, fd: number, length: number) {
    let failure: unknown;
    try {
      if (writeSync(fd, this.#line, 0, length) === length) return;
    } catch (error) {
      failure = error;
    }
    try {
      ftruncateSync(fd, segment.size);
    } catch {
      // Nothing is appended behind a torn line, which readers leave out.
      this.#active = undefined;
    }
    if (failure === undefined) throw new SpoolFullError('The disk is full.');
    orFull(() => {
      throw failure;
    });
  }

  #removeIfAnswered(segment: Segment) {
    if (segment.answered < segment.events) return;
    if (segment === this.#active) this.#active = undefined;
    this.#segments.delete(segment);
    this.bytes -= segment.size;
    try {
      removeSegment(segment);
    } catch (error) {
      // It is sent again by whoever finds it, and counts once.
      this.#options.onError(error);
    }
  }

  /** Written now, on disk within `fsyncMs`: it begins at half of that. */
  #syncLater(segment: Segment) {
    segment.isDirty = true;
    this.#sync ??= setTimeout(() => {
      this.#sync = undefined;
      void this.#syncAll();
    }, this.#options.fsyncMs / 2).unref();
  }

  async #syncAll(): Promise<void> {
    const dirty = [...this.#segments].filter(({ isDirty }) => isDirty);
    for (const segment of dirty) {
      try {
        await syncSegment(segment);
      } catch (error) {
        this.#options.onError(error);
        this.#syncLater(segment);
      }
      if (!this.#segments.has(segment) || (segment !== this.#active && !segment.isDirty)) closeSegment(segment);
    }
    if (!this.#hasNewFile) return;
    this.#hasNewFile = false;
    await syncFolder(this.#folder.path);
  }
}

/** The names of new files. Where a folder can't be synced its file system does it by itself. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path).catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}

/** @throws SpoolFullError where the disk is full, else what `work` throws */
function orFull<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (FULL.has(codeOf(error))) throw new SpoolFullError('The disk is full.', { cause: error });
    throw error;
  }
}
