import { statfsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { availableMemory } from 'node:process';

const MEMORY = '/dev/shm';
const GIB = 2 ** 30;
/** A whole run keeps about 2 GiB of data at a time, beside the memory of its processes. */
const ROOM = 6 * GIB;
/** And what was found there is still to be there when others have started. */
const FREE_MEMORY = 10 * GIB;
/** What Linux calls a file system in memory. */
const TMPFS = 0x01021994;

/**
 * A new folder for the data of engines that a test starts: in memory where the machine has plenty, else under the system's temporary one.
 * They write and sync as ever, but a sync, and the making of a file, of which an insert makes dozens, takes next to nothing there.
 * Tests kill processes, never the machine: what a file system has taken is there afterwards, on either.
 */
export async function makeDataFolder(prefix: string): Promise<string> {
  return mkdtemp(join(hasMemory() ? MEMORY : tmpdir(), prefix));
}

function hasMemory(): boolean {
  if (process.platform !== 'linux' || availableMemory() < FREE_MEMORY) return false;
  try {
    const { type, bavail, bsize } = statfsSync(MEMORY);
    return type === TMPFS && bavail * bsize >= ROOM;
  } catch {
    return false;
  }
}
