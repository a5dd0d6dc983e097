import { ftruncateSync, writeSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { now } from '../clock.ts';
import { InvalidEventError, SpoolFullError } from './errors.ts';
import { firstLines, type Lines } from './lines.ts';
import { codeOf, createFolder, leaveFolder, type OwnedFolder, takeOverDead } from './owned-folder.ts';
import {
  closeSpoolFile,
  createSpoolFile,
  findSpoolFile,
  isSpoolFile,
  readOn,
  removeSpoolFile,
  type SpoolFile,
  spoolFileName,
  syncSpoolFile,
} from './spool-file.ts';

/** A file is removed when all of it has been answered; what a kill has sent again is at most one for each. */
const FILE_BYTES = 1_048_576;
/** What the service takes of one event, without the end of its line. */
const MAX_EVENT_BYTES = 65_536;
/** Read at once of a file whose lines are counted. */
const COUNTED_BYTES = 262_144;
const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** Lines of one file that are sent together. `isOurs`: each looks as a meter writes it; else a power cut has made some of them. */
export type Batch = Lines & { isOurs: boolean; file: SpoolFile; from: number };

/** All that stood in the spool at a moment. */
export type Mark = { file: SpoolFile; size: number }[];

export type SpoolOptions = { spoolDir: string; maxSpoolBytes: number; fsyncMs: number; onError(error: unknown): void };

/** The events on disk: appended to one file, taken from the oldest, removed file by file once they have been answered. */
export class Spool {
  /** Not answered: what has been appended and what was found. */
  pending = 0;
  /** Of these, not taken to be sent. */
  untaken = 0;
  /** Of all files. */
  bytes = 0;

  readonly #options: SpoolOptions;
  readonly #folder: OwnedFolder;
  /** The oldest first; the last one of ours may be appended to. */
  readonly #files = new Set<SpoolFile>();
  #active: SpoolFile | undefined;
  #number = 0;
  /** Since the names in the folder were put on disk. */
  #hasNewFile = false;
  #sync: NodeJS.Timeout | undefined;
  #synced: Promise<void> = Promise.resolve();
  /** A character of a string is at most three bytes. */
  readonly #line = Buffer.allocUnsafe(3 * (MAX_EVENT_BYTES + 1));
  /** Holds the largest file. */
  readonly #read = Buffer.allocUnsafe(FILE_BYTES + MAX_EVENT_BYTES + 1);

  private constructor(options: SpoolOptions, folder: OwnedFolder) {
    this.#options = options;
    this.#folder = folder;
  }

  /** Opens it with all that dead meters have left there. */
  static async open(options: SpoolOptions): Promise<Spool> {
    const spool = new Spool(options, await createFolder(options.spoolDir));
    try {
      await spool.takeOver();
      return spool;
    } catch (error) {
      await spool.close();
      throw error;
    }
  }

  /** Takes over what meters have left that have died since. */
  async takeOver(): Promise<void> {
    await takeOverDead(this.#options.spoolDir, this.#folder);
    const bytes = Buffer.allocUnsafe(COUNTED_BYTES);
    const known = new Set([...this.#files].map(({ path }) => path));
    for (const name of (await readdir(this.#folder.path)).sort()) {
      const path = join(this.#folder.path, name);
      if (!isSpoolFile(name) || name.startsWith(this.#folder.id) || known.has(path)) continue;
      const file = await findSpoolFile(path, bytes);
      this.#files.add(file);
      this.pending += file.events;
      this.untaken += file.events;
      this.bytes += file.size;
      this.#removeIfAnswered(file);
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
    const file = this.#appendable();
    if (file.fd === undefined) throw new Error('The file is closed.');
    this.#write(file, file.fd, length);
    file.size += length;
    file.events += 1;
    this.bytes += length;
    this.pending += 1;
    this.untaken += 1;
    if (!file.isDirty) this.#syncLater(file);
  }

  /** The oldest lines that have not been taken: at most so many, of one file. */
  take(maxEvents: number): Batch | undefined {
    for (const file of this.#files) {
      if (file.taken === file.size) continue;
      const read = this.#read.subarray(0, readOn(file, this.#read));
      const { events, end, isOurs } = firstLines(read, maxEvents);
      if (events === 0) throw new Error(`${file.path} has no line at ${file.taken}.`);
      const from = file.taken;
      file.taken += end;
      file.underWay.add(from);
      this.untaken -= events;
      return { bytes: Buffer.from(read.subarray(0, end)), events, isOurs, file, from };
    }
    return undefined;
  }

  /** All of a batch has been answered. */
  settle({ file, from, events }: Batch): void {
    file.underWay.delete(from);
    file.answered += events;
    this.pending -= events;
    this.#removeIfAnswered(file);
  }

  mark(): Mark {
    return [...this.#files].map((file) => ({ file, size: file.size }));
  }

  /** Whether all has been answered that stood there at that moment. */
  isAnswered(mark: Mark): boolean {
    return mark.every(
      ({ file, size }) =>
        !this.#files.has(file) || (file.taken >= size && [...file.underWay].every((from) => from >= size)),
    );
  }

  /** When the oldest event came that may be pending; null where none is. */
  oldestSince(): number | null {
    if (this.pending === 0) return null;
    return [...this.#files].reduce((oldest, { since }) => Math.min(oldest, since), Number.POSITIVE_INFINITY);
  }

  /** Puts all on disk and lets go of it. */
  async close(): Promise<void> {
    clearTimeout(this.#sync);
    await this.#synced;
    await this.#syncAll();
    for (const file of this.#files) {
      if (file.events === 0) removeSpoolFile(file);
      else closeSpoolFile(file);
    }
    await leaveFolder(this.#folder);
  }

  #appendable(): SpoolFile {
    if (this.#active && this.#active.size < FILE_BYTES) return this.#active;
    if (this.#active && !this.#active.isDirty) closeSpoolFile(this.#active);
    const path = join(this.#folder.path, spoolFileName(this.#folder.id, this.#number + 1));
    this.#active = orFull(() => createSpoolFile(path, now()));
    this.#number += 1;
    this.#hasNewFile = true;
    this.#files.add(this.#active);
    return this.#active;
  }

  /** Of a write that the disk had room for in part, nothing stays. */
  #write(file: SpoolFile, fd: number, length: number) {
    let failure: unknown;
    try {
      if (writeSync(fd, this.#line, 0, length) === length) return;
    } catch (error) {
      failure = error;
    }
    try {
      ftruncateSync(fd, file.size);
    } catch {
      // Nothing is appended behind a torn line, which readers leave out.
      this.#active = undefined;
    }
    if (failure === undefined) throw new SpoolFullError('The disk is full.');
    orFull(() => {
      throw failure;
    });
  }

  #removeIfAnswered(file: SpoolFile) {
    if (file.answered < file.events) return;
    if (file === this.#active) this.#active = undefined;
    this.#files.delete(file);
    this.bytes -= file.size;
    try {
      removeSpoolFile(file);
    } catch (error) {
      // It is sent again by whoever finds it, and counts once.
      this.#options.onError(error);
    }
  }

  /** Written now, on disk within `fsyncMs`: it begins at half of that. */
  #syncLater(file: SpoolFile) {
    file.isDirty = true;
    this.#sync ??= setTimeout(() => {
      this.#sync = undefined;
      this.#synced = this.#syncAll();
    }, this.#options.fsyncMs / 2).unref();
  }

  async #syncAll(): Promise<void> {
    const dirty = [...this.#files].filter(({ isDirty }) => isDirty);
    for (const file of dirty) {
      try {
        await syncSpoolFile(file);
      } catch (error) {
        this.#options.onError(error);
        this.#syncLater(file);
      }
      if (!this.#files.has(file) || (file !== this.#active && !file.isDirty)) closeSpoolFile(file);
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
