import { setTimeout as sleep } from 'node:timers/promises';

/** Asks again and again until `check` says yes; gives its last answer. Throws after `timeoutMs`. */
export async function waitUntil<T>(
  ask: () => Promise<T>,
  check: (answer: T) => boolean,
  timeoutMs = 45_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (check(answer)) return answer;
    if (performance.now() > deadline) throw new Error(`Not so after ${timeoutMs} ms: ${JSON.stringify(answer)}`);
    await sleep(100);
  }
}
