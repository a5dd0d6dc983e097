import type { SubscriptionSchedule } from '../../billing/periods/schedule.ts';
import type { Clock } from '../../runtime/clock.ts';
import { isClosed } from '../../services/invoices/close-period.ts';
import type { CustomerRef, PeriodRef, SubscriptionRef } from '../../services/references.ts';
import { type CustomerTurns, customerTurns } from './worker-shares.ts';

/** Whoever waits holds its workflow's task, of which a worker has 40: where a closing takes longer, calls would not be answered behind those who wait. */
const PATIENCE_MS = 2_000;
/** Subscriptions of which it is kept where they stand, some 300 bytes each: at the first of the month most of them, for a while. */
const KEPT = 20_000;

/**
 * What is closed: a period of a subscription of a customer. `isReadAnew`: the workflow comes with what it has just read in the records, which
 * may be older than what is remembered: they were restored.
 */
export type CustomerPeriod = PeriodRef & CustomerRef & { isReadAnew?: boolean };

/**
 * The closings that are made within the task of their workflow. Whichever workflow of a customer comes first closes all that is due of that
 * customer; those that come for the others meanwhile wait for it, and those that come later are told from memory: nothing is asked anew. Memory
 * is a short way and no more: what is not in it is found in Postgres. A later change of such a subscription is told to its workflow, which
 * then reads anew (architecture#temporal), and nothing is remembered of one that has closed for itself.
 */
export class ClosingsAtOnce {
  readonly #clock: Clock;
  readonly #atOnce: number;
  readonly #patienceMs: number;
  readonly #turn: CustomerTurns;
  /** Where subscriptions stand that were closed with another one, those of longest ago first. */
  readonly #stands = new Map<string, SubscriptionSchedule>();
  /** When those began that are under way, in order. */
  readonly #begun = new Set<{ at: number }>();

  /** `atOnce`: so many customers are closed beside each other, in the `turns` of their accounts. */
  constructor(
    clock: Clock,
    {
      atOnce,
      patienceMs = PATIENCE_MS,
      turns = customerTurns({ atOnce, ofOne: atOnce }),
    }: { atOnce: number; patienceMs?: number; turns?: CustomerTurns },
  ) {
    this.#clock = clock;
    this.#atOnce = atOnce;
    this.#patienceMs = patienceMs;
    this.#turn = turns;
  }

  /** What the closing of one has found out about others, as its transaction has left them. */
  keep(accountId: string, schedules: ReadonlyMap<string, SubscriptionSchedule>): void {
    for (const [subscriptionId, schedule] of schedules) {
      // On a test clock the frozen time is part of it, and whoever lives there is told by the clock.
      if (schedule.clockTime !== null) continue;
      const key = keyOf({ accountId, subscriptionId });
      this.#stands.delete(key);
      this.#stands.set(key, schedule);
    }
    for (const key of this.#stands.keys()) {
      if (this.#stands.size <= KEPT) break;
      this.#stands.delete(key);
    }
  }

  /** Its workflow knows by now where it stands. */
  forget(ref: SubscriptionRef): void {
    this.#stands.delete(keyOf(ref));
  }

  /** Where the subscription stands after its period was closed, by `work` or with another's; null where that takes its time. */
  async close(
    period: CustomerPeriod,
    work: () => Promise<SubscriptionSchedule | null>,
  ): Promise<SubscriptionSchedule | null> {
    if (period.isReadAnew) this.forget(period);
    const known = this.#take(period);
    if (known) return known;
    if (this.#isStuck()) return null;
    const patience = AbortSignal.timeout(this.#patienceMs);
    let isOurTurn = false;
    try {
      return await this.#turn(period, patience, () => {
        isOurTurn = true;
        const closedMeanwhile = this.#take(period);
        return closedMeanwhile ? Promise.resolve(closedMeanwhile) : this.#time(work).finally(() => this.forget(period));
      });
    } catch (error) {
      if (!isOurTurn && patience.aborted) return null;
      throw error;
    }
  }

  #take(period: PeriodRef): SubscriptionSchedule | undefined {
    const key = keyOf(period);
    const schedule = this.#stands.get(key);
    if (!schedule || !isClosed(schedule, period, this.#clock.now())) return undefined;
    this.#stands.delete(key);
    return schedule;
  }

  async #time<T>(work: () => Promise<T>): Promise<T> {
    const begun = { at: performance.now() };
    this.#begun.add(begun);
    try {
      return await work();
    } finally {
      this.#begun.delete(begun);
    }
  }

  /** Whether all places are taken by what takes long. */
  #isStuck(): boolean {
    const newest = [...this.#begun].at(-1);
    const isFull = this.#begun.size >= this.#atOnce;
    return isFull && newest !== undefined && newest.at < performance.now() - this.#patienceMs;
  }
}

function keyOf({ accountId, subscriptionId }: SubscriptionRef): string {
  return `${accountId}/${subscriptionId}`;
}
