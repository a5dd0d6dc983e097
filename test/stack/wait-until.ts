import { setTimeout as sleep } from 'node:timers/promises';

/** Most of what is waited for is there within a moment; what is not is asked for less and less often, since each asking takes CPU from it. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS, GROWTH] = [40, 500, 1.3];

/** Only ends what would never come: a busy machine takes many times as long as one that is not. */
const PATIENCE_MS = 120_000;

/** Asks again and again until `check` says yes; gives its last answer. Throws after `timeoutMs`. */
export async function waitUntil<T>(
  ask: () => Promise<T>,
  check: (answer: T) => boolean,
  timeoutMs = PATIENCE_MS,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * GROWTH, LONGEST_PAUSE_MS)) {
    const answer = await ask();
    if (check(answer)) return answer;
    if (performance.now() > deadline) throw new Error(`Not so after ${timeoutMs} ms: ${JSON.stringify(answer)}`);
    await sleep(pauseMs);
  }
}
