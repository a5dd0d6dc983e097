import type { Context } from 'hono';
import { type FairTurns, fairTurns } from '../runtime/fair-turns.ts';

/**
 * Calls at once: all of them share one event loop and one heap. A call that waits has not been read yet. What waits for others (a
 * workflow, ClickHouse, the thread) has left its place.
 */
const CALLS = { atOnce: 256, ofOne: 32, waitingOfOne: 500, longestWaitMs: 10_000 };
/** Large calls at once: each keeps the event loop for as long as a hundred usual ones. */
const LARGE_CALLS = { atOnce: 8, ofOne: 1, waitingOfOne: 500, longestWaitMs: 10_000 };
/**
 * Look-ups of callers without a key at once, by their address. Each takes a connection to Postgres that no account's share
 * counts.
 */
const KEYLESS = {
  ...{ atOnce: 6, ofOne: 3, waitingOfOne: 100, longestWaitMs: 5_000 },
  refusal: 'Too many calls from this address run at once. Send fewer at once, and try again.',
};

/** A body or an answer above this makes a call a large one, in bytes. */
export const LARGE = 256 * 1024;
/** How large the last answer of an operation to an account was is remembered of so many; the oldest ones are forgotten. */
const REMEMBERED = 10_000;

const NEVER_GIVEN_UP = new AbortController().signal;

/** Runs `work` without the place of its call, so that others take it meanwhile: for what waits for others than this process. */
export type Outside = <T>(work: () => Promise<T>) => Promise<T>;

/** The place of a call that runs. */
export type CallPlace = {
  outside: Outside;
  /** Returns true if the call has the place of a large one. */
  isLarge(): boolean;
  /**
   * Waits for the place of a large call, and keeps it to the end, outside too: what it is answered there is large.
   * @throws DomainError `unavailable` as {@link RequestTurns.run}
   */
  becomeLarge(): Promise<void>;
};

/** Runs the calls of an account in its turn, so that those of others find the event loop and the heap free. */
export type RequestTurns = {
  /** What callers without a key look up, by their address. */
  keyless: FairTurns;
  /** All of them, by their name in metrics. */
  shares: Record<'calls' | 'large_calls' | 'keyless', FairTurns>;
  /**
   * Runs a call of `party`; `operationId` tells calls alike.
   * @throws DomainError `unavailable` if too many calls of the party wait, or this one has waited too long
   */
  run<T>(c: Context, party: string, operationId: string, work: (place: CallPlace) => Promise<T>): Promise<T>;
  /** Notes how long an answer was, in bytes: the next call alike is taken for as large. */
  note(party: string, operationId: string, length: number): void;
};

export function createRequestTurns(): RequestTurns {
  const [calls, large, keyless] = [fairTurns(CALLS), fairTurns(LARGE_CALLS), fairTurns(KEYLESS)];
  /** Whether the last answer was large, by party and operation. */
  const known = new Map<string, boolean>();

  function isLarge(c: Context, kind: string): boolean {
    // A body in chunks does not say how long it is.
    const isChunked = c.req.header('transfer-encoding') !== undefined;
    if (isChunked || Number(c.req.header('content-length') ?? 0) > LARGE) return true;
    // What a read answers is known once it has been answered: hundreds that come together are not all taken for small ones.
    return known.get(kind) ?? c.req.method === 'GET';
  }

  async function run<T>(c: Context, party: string, operationId: string, work: (place: CallPlace) => Promise<T>) {
    const kind = `${party} ${operationId}`;
    const ofLarge = largePlace(large, party);
    // Large ones wait first: other calls of their account go on meanwhile.
    if (isLarge(c, kind)) await ofLarge.take();
    try {
      const { outside, leave: leavePlace } = await placeOf(calls, party);
      let keepsLarge = false;
      const becomeLarge = async () => {
        keepsLarge = true;
        if (!ofLarge.isTaken()) await outside(ofLarge.take);
      };
      const place: CallPlace = {
        outside: (wait) => {
          if (!keepsLarge) ofLarge.leave();
          return outside(wait);
        },
        isLarge: ofLarge.isTaken,
        becomeLarge,
      };
      return await work(place).finally(leavePlace);
    } finally {
      ofLarge.end();
      // A refusal, or a file, of which nobody has said how long it is.
      if (!known.has(kind)) remember(kind, false);
    }
  }

  function remember(kind: string, isAnswerLarge: boolean): void {
    known.delete(kind);
    known.set(kind, isAnswerLarge);
    for (const oldest of known.keys()) {
      if (known.size <= REMEMBERED) break;
      known.delete(oldest);
    }
  }

  function note(party: string, operationId: string, length: number): void {
    remember(`${party} ${operationId}`, length > LARGE);
  }

  return { keyless, shares: { calls, large_calls: large, keyless }, run, note };
}

/** The place of one call among the large ones of its party. */
function largePlace(turns: FairTurns, party: string) {
  let give: (() => void) | undefined;
  let waiting: Promise<void> | undefined;
  let isOver = false;
  const leave = () => {
    give?.();
    give = undefined;
  };
  const wait = async () => {
    give = await turns.take(party, NEVER_GIVEN_UP);
    if (isOver) leave();
  };
  return {
    isTaken: () => give !== undefined,
    /** Two parts of a call that wait at once wait for one place. */
    take: async () => {
      waiting ??= wait().finally(() => {
        waiting = undefined;
      });
      await waiting;
    },
    leave,
    end: () => {
      isOver = true;
      leave();
    },
  };
}

/** A place of a party, which may be left for a while. */
async function placeOf(turns: FairTurns, party: string) {
  let leave: (() => void) | undefined = await turns.take(party, NEVER_GIVEN_UP);
  let isOver = false;
  let outsideNow = 0;
  const outside: Outside = async (work) => {
    if (outsideNow++ === 0) leave?.();
    try {
      return await work();
    } finally {
      // What was done outside is done: the call goes on, if need be without a place.
      if (--outsideNow === 0) leave = await turns.take(party, NEVER_GIVEN_UP).catch(() => undefined);
      if (isOver) leave?.();
    }
  };
  return {
    outside,
    leave: () => {
      isOver = true;
      leave?.();
    },
  };
}
