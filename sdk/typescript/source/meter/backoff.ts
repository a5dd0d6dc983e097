import { setTimeout as sleep } from 'node:timers/promises';
import { fullJitter } from '../jitter.ts';

const FIRST_MS = 100;
const LONGEST_MS = 10_000;
/** What a timer can wait for. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** How long requests wait that are sent again: from 100 ms doubling to 10 s, full jitter, never before what an answer asked for. */
export class Backoff {
  #failures = 0;
  #failedAt = Number.NEGATIVE_INFINITY;
  #until = Number.NEGATIVE_INFINITY;

  /** Waits until requests may be sent. Holds up no process that has nothing else to do. @throws AbortError */
  async wait(signal: AbortSignal): Promise<void> {
    for (let left = this.#left(); left > 0; left = this.#left()) {
      await sleep(Math.min(left, MAX_TIMER_MS), undefined, { ref: false, signal });
    }
  }

  /** `begun`: when the request was sent that failed; of several that were under way together one counts. */
  fail(begun: number, retryAfterMs: number): void {
    const at = performance.now();
    if (begun >= this.#failedAt) {
      const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.#failures);
      this.#failures += 1;
      this.#failedAt = at;
      this.#until = Math.max(this.#until, at + fullJitter(longest));
    }
    this.#until = Math.max(this.#until, at + retryAfterMs);
  }

  succeed(): void {
    this.#failures = 0;
  }

  #left(): number {
    return this.#until - performance.now();
  }
}
