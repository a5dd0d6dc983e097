import type { AnswerRoom } from '../sql/postgres/page-window.ts';
import { type CallPlace, LARGE } from './request-turns.ts';

/** A call comes to load an answer for which it has to wait for the place of a large call. */
class TurnNeeded extends Error {
  constructor() {
    super('an answer is larger than the place of its call allows');
  }
}

/** Returns how many bytes a call may load for its answer: 256 KiB, or `mostBytes` in the place of a large call. */
export function roomOf(place: CallPlace, mostBytes: number): AnswerRoom {
  return {
    mostBytes,
    get bytes() {
      return place.isLarge() ? mostBytes : Math.min(LARGE, mostBytes);
    },
    needMore: () => {
      if (!place.isLarge()) throw new TurnNeeded();
    },
  };
}

/** Bytes of an answer that the event loop makes of what the thread may make as well. */
const LARGE_FOR_HERE = 512 * 1024;

/** As {@link roomOf}, for what is answered here only if it is small: the thread has a heap of its own. */
export function roomBesideThread(mostBytes: number): AnswerRoom {
  return {
    ...{ mostBytes, bytes: Math.min(LARGE_FOR_HERE, mostBytes) },
    needMore: () => {
      throw new TurnNeeded();
    },
  };
}

/** Runs work, and returns undefined if it needs more room than there is here. */
export async function ifRoom<T>(work: () => Promise<T>): Promise<{ result: T } | undefined> {
  try {
    return { result: await work() };
  } catch (error) {
    if (error instanceof TurnNeeded) return undefined;
    throw error;
  }
}

/**
 * Runs work that may need the place of a large call. If so, the work runs again once the call has that place: whatever it has locked
 * or written must be undone by its first failure.
 */
export async function inRoom<T>(place: CallPlace, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof TurnNeeded)) throw error;
    }
    await place.becomeLarge();
  }
}
