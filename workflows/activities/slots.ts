import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { type FairTurns, fairTurns } from '../../runtime/fair-turns.ts';
import { ReturnTimes } from './return-times.ts';

const NEVER = new AbortController().signal;

/** The slots of one task queue's activities in a worker. */
export type Slots = {
  /** Who has how many slots, and who was put off. */
  turns: FairTurns;
  /**
   * Runs an activity of an account.
   * @throws ApplicationFailure if the account has its share of the slots. Temporal then tries the activity again later.
   */
  run<T>(accountId: string, activity: () => Promise<T>): Promise<T>;
};

/**
 * Shares `atOnce` slots by account (operations/fair-shares.md). An activity of an account that has `ofOne` slots does not wait in
 * another one: it ends at once, and Temporal tries it again about when a slot of the account is free.
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

/** Not the activity's own failure: the log of the worker does not tell it, Temporal's UI does. */
function putOff(ofOne: number, pauseMs: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'PutOff',
    message: `The account has its share of this worker's slots (${ofOne}). This begins by itself when one is free.`,
    nextRetryDelay: Math.ceil(pauseMs),
    category: ApplicationFailureCategory.BENIGN,
  });
}
