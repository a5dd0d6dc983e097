import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGzip, gunzip } from 'node:zlib';
import { type Lsn, lsnToText, segmentName, segmentStart } from './lsn.ts';
import type { PostgresSystem, WalRun } from './replication.ts';

/** `had`: what the archive had of the segment when it was opened. */
type Open = { name: string; start: Lsn; file: FileHandle; had: Buffer };

/** What the archive has is not what the server sends for the same place. */
export class OtherLog extends Error {
  constructor(folder: string, name: string, at: Lsn) {
    super(
      `${join(folder, name)} has another log at ${lsnToText(at)} than Postgres sends: its data were put back to an earlier time, as by a snapshot ` +
        'of its disk, and went on from there. The archive was left as it is, and brings the records to where they were before that. ' +
        'Keep the log from here on in another folder.',
    );
  }
}

/** Writes the log into files of its segments: the newest as it grows, each complete one compressed. Throws {@link OtherLog} rather than change what is there. */
export class SegmentWriter {
  readonly #folder: string;
  readonly #system: PostgresSystem;
  #open: Open | undefined;
  #writtenTo = 0n;

  /** `folder`: of the segments, which exists. */
  constructor(folder: string, system: PostgresSystem) {
    this.#folder = folder;
    this.#system = system;
  }

  /** Writes what follows; all of it is on disk when this returns up to where. */
  async write(runs: readonly WalRun[]): Promise<Lsn> {
    for (const { at, data } of runs) await this.#writeRun(at, data);
    await this.#open?.file.datasync();
    return this.#writtenTo;
  }

  async close(): Promise<void> {
    await this.#open?.file.close();
    this.#open = undefined;
  }

  async #writeRun(at: Lsn, data: Buffer): Promise<void> {
    const { segmentBytes } = this.#system;
    let [place, left] = [at, data];
    while (left.length > 0) {
      const open = await this.#segmentOf(place);
      const offset = Number(place - open.start);
      const part = left.subarray(0, segmentBytes - offset);
      const other = firstOther(open.had.subarray(offset), part);
      if (other >= 0) throw new OtherLog(this.#folder, open.name, place + BigInt(other));
      await writeAll(open.file, part, offset);
      place += BigInt(part.length);
      left = left.subarray(part.length);
      if (offset + part.length === segmentBytes) await this.#complete(open);
    }
    this.#writtenTo = place;
  }

  /** The file is never cut: what an earlier life of ours has of the segment is there until the same is written over it. */
  async #segmentOf(place: Lsn): Promise<Open> {
    const { timeline, segmentBytes } = this.#system;
    const start = segmentStart(place, segmentBytes);
    if (this.#open?.start === start) return this.#open;
    const name = segmentName(timeline, place, segmentBytes);
    const path = join(this.#folder, `${name}.partial`);
    const had = await readSegment(this.#folder, name);
    const file = await open(path, 'r+').catch(() => open(path, 'wx+', 0o600));
    this.#open = { name, start, file, had };
    await syncFolder(this.#folder);
    return this.#open;
  }

  async #complete({ name, file }: Open): Promise<void> {
    await file.datasync();
    await file.close();
    this.#open = undefined;
    const [partial, whole] = [join(this.#folder, `${name}.partial`), join(this.#folder, `${name}.gz`)];
    const draft = createWriteStream(`${whole}.draft`, { mode: 0o600, flush: true });
    await pipeline(createReadStream(partial), createGzip({ level: 1 }), draft);
    await rename(`${whole}.draft`, whole);
    await syncFolder(this.#folder);
    await rm(partial);
  }
}

/** What the folder has of a segment: whole, as far as it had come, or nothing. */
async function readSegment(folder: string, name: string): Promise<Buffer> {
  const orNone = (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  };
  const whole = await readFile(join(folder, `${name}.gz`)).catch(orNone);
  if (whole) return promisify(gunzip)(whole);
  return (await readFile(join(folder, `${name}.partial`)).catch(orNone)) ?? Buffer.alloc(0);
}

/** The first place at which the archive has something else; -1 where it has none. Zeros are what a machine that lost its power had not written yet. */
function firstOther(had: Buffer, sent: Buffer): number {
  const both = Math.min(had.length, sent.length);
  if (had.subarray(0, both).equals(sent.subarray(0, both))) return -1;
  return had.subarray(0, both).findIndex((byte, i) => byte !== 0 && byte !== sent[i]);
}

/** A disk that is nearly full takes a part of it: what is said to be there is there whole. */
async function writeAll(file: FileHandle, data: Buffer, at: number): Promise<void> {
  for (let done = 0; done < data.length; ) {
    const { bytesWritten } = await file.write(data, done, data.length - done, at + done);
    done += bytesWritten;
  }
}

/** The names of files are on disk when it returns. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
