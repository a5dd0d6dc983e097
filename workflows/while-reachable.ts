import { setTimeout as sleep } from 'node:timers/promises';
import { schedulerAway } from './call-errors.ts';

/** How often a call that waits looks whether Temporal is still there. Most calls are done before the first look. */
const FIRST_LOOK_MS = 500;
const LOOK_MS = 2_000;

/** Runs calls that may take long, and gives each of them up as soon as Temporal does not answer. */
export type WhileReachable = <T>(call: (givenUp: AbortSignal) => Promise<T>) => Promise<T>;

/**
 * Calls that wait share one question `ask`, which rejects while Temporal is away. So a call may wait for a slow worker, and a
 * caller still learns within seconds that Temporal does not answer (spec/subscriptions#calls).
 */
export function createWhileReachable(ask: () => Promise<void>): WhileReachable {
  let asked: Promise<void> | undefined;
  const askOnce = () => {
    asked ??= ask().finally(() => {
      asked = undefined;
    });
    return asked;
  };

  return async (call) => {
    const away = new AbortController();
    const over = new AbortController();
    async function watch() {
      for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = LOOK_MS) {
        await sleep(pauseMs, undefined, { signal: over.signal, ref: false });
        await askOnce().catch((error: unknown) => away.abort(error));
        if (away.signal.aborted) return;
      }
    }
    // It ends by the abort of its pause.
    void watch().catch(() => {});
    try {
      return await call(away.signal);
    } catch (error) {
      if (away.signal.aborted) throw schedulerAway();
      throw error;
    } finally {
      over.abort();
    }
  };
}
