import { statfsSync } from 'node:fs';

/** Room on the disk of a folder, in bytes, as a process without special rights has it. */
export type Room = { free: number; size: number };

/** Nearly full: less than a tenth is free, and less than what a busy day may take. */
const FREE_PART = 0.1;
const FREE_BYTES = 5 * 2 ** 30;
/** A disk that has got room again is said after it has a little more than that, so that it is not said again and again. */
const RELIEF = 1.1;
const POLL_MS = 5_000;

/** The room on the disk that `folder` is on. */
export function roomOf(folder: string): Room {
  const { bavail, blocks, bsize } = statfsSync(folder);
  return { free: bavail * bsize, size: blocks * bsize };
}

/** Says when the disk of `folder` is nearly full, again whenever half of the rest has gone, and when there is room again. Returns its end. */
export function watchDisk(folder: string, say: (line: string) => void, read: () => Room = () => roomOf(folder)) {
  const look = diskObserver(folder, say);
  look(read());
  const timer = setInterval(() => look(read()), POLL_MS).unref();
  return () => clearInterval(timer);
}

/** Takes one look at a time and says what is new. */
export function diskObserver(folder: string, say: (line: string) => void): (room: Room) => void {
  let saidAt: number | null = null;
  return ({ free, size }) => {
    const limit = Math.min(size * FREE_PART, FREE_BYTES);
    if (saidAt !== null && free > limit * RELIEF) {
      saidAt = null;
      say(`the disk of ${folder} has room again: ${megabytes(free)} MB are free`);
    }
    if (free >= limit || (saidAt !== null && free >= saidAt / 2)) return;
    saidAt = free;
    const percent = ((100 * free) / size).toFixed(1);
    say(
      `the disk of ${folder} is nearly full: ${megabytes(free)} MB (${percent} %) are free. ` +
        'When it is full, events are refused with 503 and bills wait; nothing that was accepted is lost.',
    );
  };
}

function megabytes(bytes: number): string {
  return Math.floor(bytes / 2 ** 20).toString();
}
