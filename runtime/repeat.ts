import { setTimeout as sleep } from 'node:timers/promises';
import type { Stoppable } from './lifecycle.ts';
import type { Log } from './log.ts';

/** After a failure the next try waits this long: a restart of an engine takes about a second. */
const PAUSE_AFTER_FAILURE_MS = 1_000;

/**
 * Does `once` for ever, with a pause between; `once` may say that there is more to do at once. A failure is logged and
 * tried again. Stopping waits for the one under way.
 */
export function repeat(
  name: string,
  log: Log,
  pauseMs: number,
  once: () => Promise<void> | Promise<'more' | undefined>,
): Stoppable {
  const stopped = new AbortController();
  const rest = (ms: number) => sleep(ms, undefined, { signal: stopped.signal }).catch(() => {});

  async function loop() {
    while (!stopped.signal.aborted) {
      try {
        if ((await once()) !== 'more') await rest(pauseMs);
      } catch (error) {
        log.warn({ err: error, loop: name }, 'a round failed');
        await rest(PAUSE_AFTER_FAILURE_MS);
      }
    }
  }

  const running = loop();
  return {
    name,
    stop: () => {
      stopped.abort();
      return running;
    },
  };
}

/** Tries until it succeeds: a process waits for its engines rather than die and be started again. */
export async function patiently<T>(what: string, log: Log, attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      log.warn({ err: error }, `${what}: not yet`);
      await sleep(PAUSE_AFTER_FAILURE_MS);
    }
  }
}
