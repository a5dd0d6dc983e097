import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Session } from 'chdb';

/** A statement that has not begun when it is looked for is looked for again. */
const AGAIN_MS = 20;

/**
 * Kills reads whose client went away: the engine's calls can't be interrupted, but KILL QUERY from another session ends what
 * runs in this process. A read is found by a comment before it, since a session gives no id to what it runs.
 */
export class Killer {
  readonly #session: Session;
  /** Comments of the reads that are to end. */
  readonly #doomed = new Set<string>();
  #killing: Promise<void> | undefined;

  /** `session` must run nothing else. */
  constructor(session: Session) {
    this.#session = session;
  }

  /** Runs a read by `run`, and kills it when `signal` aborts: then it rejects as every killed query does (394). */
  async guard<Result>(sql: string, signal: AbortSignal, run: (sql: string) => Promise<Result>): Promise<Result> {
    const comment = `/* ${randomUUID()} */`;
    const kill = () => {
      this.#doomed.add(comment);
      this.#killing ??= this.#kill().finally(() => {
        this.#killing = undefined;
      });
    };
    if (signal.aborted) kill();
    signal.addEventListener('abort', kill);
    try {
      return await run(`${comment} ${sql}`);
    } finally {
      signal.removeEventListener('abort', kill);
      this.#doomed.delete(comment);
    }
  }

  /** Resolves when nothing is being killed. */
  async idle(): Promise<void> {
    await this.#killing;
  }

  async #kill(): Promise<void> {
    while (this.#doomed.size > 0) {
      const comments = [...this.#doomed].map((comment) => `startsWith(query, '${comment}')`);
      await this.#session.queryAsync(`KILL QUERY WHERE ${comments.join(' OR ')}`).catch((error) => {
        console.error('cannot kill', error);
      });
      await sleep(AGAIN_MS);
    }
  }
}
