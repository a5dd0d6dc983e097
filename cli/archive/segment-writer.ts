import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Lsn, segmentName, segmentStart } from './lsn.ts';
import type { PostgresSystem, WalRun } from './replication.ts';

type Open = { name: string; start: Lsn; file: FileHandle };

/** Writes the log into files of its segments: the newest as it grows, each complete one compressed. */
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
    const file = await open(path, 'r+').catch(() => open(path, 'wx+', 0o600));
    this.#open = { name, start, file };
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
