import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const TRIES = 5;
const PAUSE_MS = 200;

/** A command that stands back by so much where the cores are full, from its first thread on: another thread's niceness can't be changed by the process' id. */
export function standingBack(nice: number, command: readonly string[]): string[] {
  return ['nice', '-n', `${nice}`, ...command];
}

/**
 * Has the session of a process that was started detached stand back. Where Linux shares the cores between sessions first
 * (`kernel.sched_autogroup_enabled`), what a process' own niceness says counts only beside others of its session. Of those who ask too fast the
 * kernel lets nobody but root through. Elsewhere it does nothing.
 */
export async function standBackAsSession(pid: number, nice: number): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    const refused = await writeFile(`/proc/${pid}/autogroup`, `${nice}`).catch(({ code }) => code);
    if (refused !== 'EAGAIN') return;
    await sleep(PAUSE_MS);
  }
}
