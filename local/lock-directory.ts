import { setTimeout as sleep } from 'node:timers/promises';
import { askHolder, holdName, type NameLock } from './name-lock.ts';

/** What a stack that is stopping says of itself. */
const STOPPING = 'stopping';
/** A stack that was asked to stop says so a moment later on a busy machine. */
const HEARING_MS = 2_000;
const STOPPED_MS = 30_000;
const POLL_MS = 200;

/** What the holder of a directory says of itself: its address, or that it is stopping. */
export type Holder = { address: string; isStopping: boolean };

/**
 * Takes the right to run a stack on `dataDir`. Waits for one that is stopping. Throws, with the address of the one that runs there, if
 * that does not stop.
 */
export async function lockDirectory(
  dataDir: string,
  holder: Holder,
  options: { say(line: string): void; signal?: AbortSignal | undefined },
): Promise<NameLock> {
  const name = `stack/${dataDir}`;
  const begun = performance.now();
  let hasSaid = false;
  for (;;) {
    options.signal?.throwIfAborted();
    const lock = await holdName(name, () => (holder.isStopping ? STOPPING : holder.address));
    if (lock) return lock;
    const other = await askHolder(name);
    const waitedMs = performance.now() - begun;
    // One that answers nothing has ended since, or can't answer any more.
    const isStopping = other === STOPPING || other === null;
    if (isStopping && !hasSaid) options.say(`a stack on ${dataDir} is stopping: waiting for its end`);
    hasSaid ||= isStopping;
    if (!isStopping && waitedMs > HEARING_MS)
      throw new Error(
        `A stack already runs on ${dataDir}${other ? `, at ${other}` : ''}. Stop it first, or set another DATA_DIR and PORT.`,
      );
    if (waitedMs > STOPPED_MS)
      throw new Error(
        `A stack on ${dataDir} has not stopped within ${STOPPED_MS / 1000} s. End its launcher, then start again.`,
      );
    await sleep(POLL_MS);
  }
}
