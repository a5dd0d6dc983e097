import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { type FairTurns, fairTurns } from '../../runtime/fair-turns.ts';
import { ReturnTimes } from './return-times.ts';

const NEVER = new AbortController().signal;

/** The slots in which a worker runs the activities of one task queue. */
export type Slots = {
  /** Tells which accounts have slots, and which were put off. */
  turns: FairTurns;
  /**
   * Runs an activity of an account.
   * @throws ApplicationFailure if the account has its share of the slots. Temporal then tries the activity again later.
   */
  run<T>(accountId: string, activity: () => Promise<T>): Promise<T>;
};

/**
 * Shares `atOnce` slots among accounts (operations/fair-shares.md). An account has at most `ofOne` slots. A further activity of it fails
 * immediately, and Temporal retries it at about the time when a slot of the account becomes free.
 */
export function createSlots({ atOnce, ofOne }: { atOnce: number; ofOne: number }): Slots {
  const turns = fairTurns({ atOnce, ofOne, waitingOfOne: 0 });
  const returnTimes = new ReturnTimes(ofOne);

  async function run<T>(accountId: string, activity: () => Promise<T>): Promise<T> {
    const leave = await turns.take(accountId, NEVER).catch(() => undefined);
    if (!leave) throw putOff(ofOne, returnTimes.pauseMs(accountId, performance.now()));
    const begun = performance.now();
    try {
      return await activity();
    } finally {
      leave();
      returnTimes.end(accountId, begun, performance.now());
    }
  }

  return { turns, run };
}

/** Returns a failure that Temporal's UI shows and the worker does not log, because the activity itself has not failed. */
function putOff(ofOne: number, pauseMs: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'PutOff',
    message: `The account has its share of this worker's slots (${ofOne}). This begins by itself when one is free.`,
    nextRetryDelay: Math.ceil(pauseMs),
    category: ApplicationFailureCategory.BENIGN,
  });
}
