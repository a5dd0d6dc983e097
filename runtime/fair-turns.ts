import { tooManyAtOnce } from '../core/domain-error.ts';

/** How many pieces of work run and wait. A party is whoever a share belongs to: an account, or an address without a key. */
export type TurnLimits = {
  /** Pieces of work of all parties that run at once. */
  atOnce: number;
  /** Pieces of work of one party that run at once. */
  ofOne: number;
  /** Pieces of work of one party that may wait. */
  waitingOfOne: number;
  /** Longest that work waits for its turn. Without it, only the caller's signal ends the wait. */
  longestWaitMs?: number;
  /** What the caller is told if too much of its party waits, or if it has waited too long. */
  refusal?: string;
};

/** A party that has work waiting. */
export type WaitingParty = { party: string; running: number; waiting: number };

/** Runs work for a party when its turn comes. */
export type FairTurns = {
  <T>(party: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** Waits for a turn and takes its place. The caller calls the function it gets to give the place to others. */
  take(party: string, signal: AbortSignal): Promise<() => void>;
  /** Returns how much work of all parties waits. */
  waiting(): number;
  /** Returns true if work that comes now has to wait, whatever its party. */
  isFull(): boolean;
  /** Returns true if work of the party that comes now begins at once. */
  mayBegin(party: string): boolean;
  /** Returns how many places each party has. */
  running(): ReadonlyMap<string, number>;
  /** Returns the parties that have their whole share, and how many places that is. */
  fullParties(): ReadonlyMap<string, number>;
  /** Returns the parties that have work waiting, in the order of their turns. */
  waitingParties(): WaitingParty[];
  /** Returns how much work was refused since the start: too much of its party waited, or it waited too long. */
  refused(): number;
  /** Returns how much work of each party was refused since the last call. Names at most 1,000 parties. */
  takeRefusals(): ReadonlyMap<string, number>;
};

type Waiting = { begin(): void };

/** Parties whose refusals are remembered until somebody asks. Callers without a key are as many parties as they have addresses. */
const REMEMBERED_PARTIES = 1_000;

const REFUSAL = 'Too many calls of this account run at once. Send fewer at once, and try again.';

/**
 * Shares a few places fairly among parties. This is the only mechanism in the service for that; `operations/fair-shares.md` lists
 * its uses.
 *
 * - A party never has more than `ofOne` places.
 * - If several parties wait, each free place goes to the next party in turn, however much the others wait with.
 * - The work of one party begins in its own order.
 *
 * Work does not begin if `signal` has aborted: the promise then rejects with the signal's reason. It rejects with DomainError
 * `unavailable` if `waitingOfOne` pieces of the party wait already, or after `longestWaitMs`.
 */
export function fairTurns(limits: TurnLimits): FairTurns {
  const queues = new Queues(limits);

  async function run<T>(party: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    // Work whose turn it is begins before this returns.
    const leave = queues.takeNow(party) ?? (await queues.takeLater(party, signal));
    try {
      return await work();
    } finally {
      leave();
    }
  }

  return Object.assign(run, {
    take: async (party: string, signal: AbortSignal) => {
      signal.throwIfAborted();
      return queues.takeNow(party) ?? queues.takeLater(party, signal);
    },
    waiting: () => queues.waitingParties().reduce((sum, { waiting }) => sum + waiting, 0),
    isFull: () => queues.places.isFull(),
    mayBegin: (party: string) => queues.places.mayTake(party),
    running: () => queues.places.ofParties,
    fullParties: () => new Map([...queues.places.ofParties].filter(([, places]) => places >= limits.ofOne)),
    waitingParties: () => queues.waitingParties(),
    refused: () => queues.refused,
    takeRefusals: () => queues.takeRefusals(),
  });
}

/** The parties that wait, and who has which places. */
class Queues {
  readonly places: Places;
  refused = 0;
  #refusals = new Map<string, number>();
  readonly #limits: TurnLimits;
  /** In the order of turns. A party that waits with nothing is not in it. */
  readonly #waiting = new Map<string, Set<Waiting>>();

  constructor(limits: TurnLimits) {
    this.#limits = limits;
    this.places = new Places(limits);
  }

  waitingParties(): WaitingParty[] {
    return [...this.#waiting].map(([party, queue]) => {
      return { party, running: this.places.ofParty(party), waiting: queue.size };
    });
  }

  takeRefusals(): ReadonlyMap<string, number> {
    const refusals = this.#refusals;
    this.#refusals = new Map();
    return refusals;
  }

  /** Takes a place, and returns what gives it on; undefined if the party has to wait. */
  takeNow(party: string): (() => void) | undefined {
    if (!this.places.mayTake(party)) return undefined;
    this.places.take(party);
    return once(() => this.#release(party));
  }

  async takeLater(party: string, signal: AbortSignal): Promise<() => void> {
    const queue = this.#waiting.get(party) ?? new Set();
    if (queue.size >= this.#limits.waitingOfOne) throw this.#refuse(party);
    this.#waiting.set(party, queue);
    await this.#wait(party, queue, signal);
    return once(() => this.#release(party));
  }

  #release(party: string): void {
    this.places.release(party);
    for (const [next, queue] of this.#waiting) {
      if (!this.places.mayTake(next)) continue;
      const [first] = queue;
      first?.begin();
      return;
    }
  }

  #refuse(party: string): Error {
    this.refused++;
    const before = this.#refusals.get(party);
    if (before !== undefined || this.#refusals.size < REMEMBERED_PARTIES) this.#refusals.set(party, (before ?? 0) + 1);
    return tooManyAtOnce(this.#limits.refusal ?? REFUSAL);
  }

  /** Resolves with the place taken. */
  #wait(party: string, queue: Set<Waiting>, signal: AbortSignal): Promise<void> {
    const { longestWaitMs } = this.#limits;
    return new Promise<void>((resolve, reject) => {
      const leave = () => {
        clearTimeout(late);
        signal.removeEventListener('abort', goAway);
        queue.delete(one);
        // The party's next turn comes after those of all others.
        this.#waiting.delete(party);
        if (queue.size > 0) this.#waiting.set(party, queue);
      };
      const goAway = () => {
        leave();
        reject(signal.aborted ? signal.reason : this.#refuse(party));
      };
      const begin = () => {
        leave();
        this.places.take(party);
        resolve();
      };
      const one = { begin };
      queue.add(one);
      const late = longestWaitMs === undefined ? undefined : setTimeout(goAway, longestWaitMs);
      signal.addEventListener('abort', goAway);
    });
  }
}

/** Who has which places. */
class Places {
  readonly #limits: TurnLimits;
  readonly #ofParty = new Map<string, number>();
  #taken = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  get ofParties(): ReadonlyMap<string, number> {
    return this.#ofParty;
  }

  isFull = () => this.#taken >= this.#limits.atOnce;

  ofParty(party: string): number {
    return this.#ofParty.get(party) ?? 0;
  }

  mayTake(party: string): boolean {
    return !this.isFull() && this.ofParty(party) < this.#limits.ofOne;
  }

  take(party: string): void {
    this.#taken++;
    this.#ofParty.set(party, this.ofParty(party) + 1);
  }

  release(party: string): void {
    this.#taken--;
    const left = this.ofParty(party) - 1;
    if (left > 0) this.#ofParty.set(party, left);
    else this.#ofParty.delete(party);
  }
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}
