import { setTimeout as sleep } from 'node:timers/promises';

/** Between two askings where all is well, and where one was not answered. */
const PAUSE_MS = 100;
const RETRY_MS = 50;

/** Asks the same again and again, as a caller who repeats what was not answered; tells how long a caller had to wait at most. */
export class Probe {
  readonly name: string;
  #worstMs = 0;
  #since: number | undefined;
  #done = 0;

  /** `ask` answers whether what it asks was done; `next` makes another one of it. Runs until `signal`. */
  constructor(name: string, ask: (n: number) => Promise<boolean>, signal: AbortSignal) {
    this.name = name;
    void this.#run(ask, signal);
  }

  /** The longest wait since this was asked last, in ms, that of now included. */
  takeWorst(): number {
    const now = this.#since === undefined ? 0 : performance.now() - this.#since;
    const worst = Math.max(this.#worstMs, now);
    this.#worstMs = 0;
    return worst;
  }

  /** How many things were done. */
  get done(): number {
    return this.#done;
  }

  async #run(ask: (n: number) => Promise<boolean>, signal: AbortSignal): Promise<void> {
    for (let n = 1; !signal.aborted; n++) {
      this.#since = performance.now();
      while (!signal.aborted && !(await ask(n).catch(() => false))) await sleep(RETRY_MS);
      if (signal.aborted) break;
      this.#done = n;
      this.#worstMs = Math.max(this.#worstMs, performance.now() - this.#since);
      this.#since = undefined;
      await sleep(PAUSE_MS);
    }
    this.#since = undefined;
  }
}
