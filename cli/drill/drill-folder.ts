import { realpathSync } from 'node:fs';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { endLeftovers } from '../../local/leftovers.ts';

/**
 * Does `work` in an empty folder, `DATA_DIR/drill`, which is gone afterwards. It has one name, so that the next drill ends the engines of one
 * that was killed, and takes their data away.
 */
export async function inDrillFolder<T>(
  { dataDir }: { dataDir: string },
  work: (folder: string) => Promise<T>,
): Promise<T> {
  await mkdir(dataDir, { recursive: true });
  const folder = join(realpathSync(dataDir), 'drill');
  await endLeftovers(folder);
  await rm(folder, { recursive: true, force: true });
  try {
    await mkdir(folder);
    // Postgres does not run as root: its own user must be able to walk to its folder.
    await chmod(folder, 0o755);
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
