import { setTimeout as sleep } from 'node:timers/promises';
import { inTime } from '../../runtime/in-time.ts';

/** A busy machine answers late; a process that hangs does not answer at all. */
const CHECK_TIMEOUT_MS = 10_000;
const CHECK_EVERY_MS = 5_000;
/** After a restart that did not help, patience doubles up to this. */
const MAX_PATIENCE_MS = 10 * 60_000;
/** A process that has been healthy for this long gets the first patience again. */
const WELL_AFTER_MS = 10 * 60_000;

export type HealthCheck = {
  /** Whether it does its work. Rejects, with the reason, if it does not. */
  isHealthy(): Promise<boolean>;
  /** Why nothing but a restart helps; undefined if that is not so. */
  isStuck?: (() => Promise<string | undefined>) | undefined;
  /** Why it is unhealthy for a reason that a restart would not change, such as a full disk; undefined if there is none. */
  excuse?: (() => string | undefined) | undefined;
  /** Whether it has served in this life, as far as its caller knows. */
  hasServed(): boolean;
  /** For how long it has made no progress: counts until it has served. */
  idleMs(): Promise<number>;
};

export type Timing = { everyMs: number; timeoutMs: number };

/**
 * Decides when a process that lives and does not do its work is to be started again: after it has been unhealthy without a pause
 * for its patience, which doubles with each restart. Time in which the launcher itself got no turn does not count, so
 * a machine that was busy or asleep is no reason. Until it has served, a process may take ten minutes as long as it makes progress.
 */
export class HealthWatch {
  readonly #firstPatienceMs: number;
  readonly #timing: Timing;
  #patienceMs: number;

  constructor(patienceMs: number, timing: Timing = { everyMs: CHECK_EVERY_MS, timeoutMs: CHECK_TIMEOUT_MS }) {
    this.#firstPatienceMs = patienceMs;
    this.#patienceMs = patienceMs;
    this.#timing = timing;
  }

  /** Watches one life of the process. Resolves with the reason to start it again, or undefined once `signal` is aborted. */
  async reasonToRestart(check: HealthCheck, signal: AbortSignal): Promise<string | undefined> {
    const { everyMs, timeoutMs } = this.#timing;
    let wasHealthy = false;
    let unhealthyMs = 0;
    let healthyMs = 0;
    for (;;) {
      const begun = performance.now();
      await sleep(everyMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return undefined;
      const stuck = await check.isStuck?.().catch(() => undefined);
      if (stuck) return stuck;
      const reason = await this.#complaintOf(check);
      if (signal.aborted) return undefined;
      const passed = Math.min(performance.now() - begun, everyMs + timeoutMs);
      if (reason === undefined) {
        wasHealthy = true;
        unhealthyMs = 0;
        healthyMs += passed;
        if (healthyMs > WELL_AFTER_MS) this.#patienceMs = this.#firstPatienceMs;
        continue;
      }
      healthyMs = 0;
      unhealthyMs = check.excuse?.() === undefined ? unhealthyMs + passed : 0;
      const limitMs = this.#patienceMs;
      const isStarting = !wasHealthy && !check.hasServed() && unhealthyMs < MAX_PATIENCE_MS;
      const waitedMs = isStarting ? Math.min(unhealthyMs, await check.idleMs()) : unhealthyMs;
      if (waitedMs < (isStarting ? 2 * limitMs : limitMs)) continue;
      this.#patienceMs = Math.min(limitMs * 2, Math.max(MAX_PATIENCE_MS, this.#firstPatienceMs));
      return `unhealthy for ${Math.round(waitedMs / 1000)} s (${reason}), the next time after ${Math.round(this.#patienceMs / 1000)} s`;
    }
  }

  async #complaintOf(check: HealthCheck): Promise<string | undefined> {
    try {
      return (await inTime(check.isHealthy(), this.#timing.timeoutMs)) ? undefined : 'it answers with errors';
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
}
