import { setTimeout as sleep } from 'node:timers/promises';

/** Workflows that a sweep starts between two looks at how many tasks wait. */
const STARTS_PER_LOOK = 10;
/** With more tasks waiting, everybody's calls wait behind them: a worker takes 40 at once. */
const WAITING_TASKS = 10;
/** Ten starts are never put off for longer than `longestMs`, so that a sweep ends on a server that is always busy. */
const WAIT = { pauseMs: 200, longestMs: 10_000 };

/**
 * Returns what a sweep waits for before it starts a workflow: that few tasks of workflows wait for a worker. A sweep may have
 * thousands to start, for instance after Temporal has lost its records, and whoever calls meanwhile does not wait behind them.
 */
export function createStandBack(
  loadBacklog: () => Promise<Partial<Record<string, number>>>,
  cancelled: AbortSignal,
  { pauseMs, longestMs } = WAIT,
): () => Promise<void> {
  let starts = 0;
  let room = Promise.resolve();

  async function untilFewWait(): Promise<void> {
    for (let waitedMs = 0; waitedMs < longestMs; waitedMs += pauseMs) {
      const { workflow = 0 } = await loadBacklog();
      if (workflow <= WAITING_TASKS) return;
      await sleep(pauseMs, undefined, { signal: cancelled });
    }
  }

  return () => {
    if (starts++ % STARTS_PER_LOOK === 0) room = room.then(untilFewWait);
    return room;
  };
}
