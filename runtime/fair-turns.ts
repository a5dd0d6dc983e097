import { unavailable } from '../core/domain-error.ts';

/** How many pieces of work run at once: in all, and of one party; and how many of one party may wait. */
export type TurnLimits = { atOnce: number; ofOne: number; waitingOfOne: number };

/** Runs work for a party when its turn comes. */
export type FairTurns = {
  <T>(party: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** How much work of all parties waits. */
  waiting(): number;
  /** Whether whoever comes now would have to wait. */
  isFull(): boolean;
};

type Waiting = { begin(): void };

/**
 * Parties share a few places fairly: one never has more than `ofOne` of them, and where places are wanted by several, a place
 * that falls free goes to the next party in turn, however much another one waits with. Work waits in its party's order.
 * It is not begun when `signal` has aborted (the promise rejects with its reason), nor where `waitingOfOne` of the party
 * wait already (DomainError `unavailable`).
 */
export function fairTurns({ atOnce, ofOne, waitingOfOne }: TurnLimits): FairTurns {
  let running = 0;
  const runningOf = new Map<string, number>();
  /** In the order of turns; a party that waits with nothing is not in it. */
  const waiting = new Map<string, Set<Waiting>>();

  const mayBegin = (party: string) => running < atOnce && (runningOf.get(party) ?? 0) < ofOne;

  function take(party: string) {
    running++;
    runningOf.set(party, (runningOf.get(party) ?? 0) + 1);
  }

  function release(party: string) {
    running--;
    const left = (runningOf.get(party) ?? 0) - 1;
    if (left > 0) runningOf.set(party, left);
    else runningOf.delete(party);
    for (const [next, queue] of waiting) {
      if (!mayBegin(next)) continue;
      const [first] = queue;
      first?.begin();
      return;
    }
  }

  function place(party: string, signal: AbortSignal): Promise<void> | undefined {
    signal.throwIfAborted();
    if (mayBegin(party)) return void take(party);
    const queue = waiting.get(party) ?? new Set();
    if (queue.size >= waitingOfOne) {
      throw unavailable('Too many questions about usage are waiting already. Ask fewer at once, and try again.');
    }
    waiting.set(party, queue);
    return new Promise<void>((resolve, reject) => {
      const leave = () => {
        signal.removeEventListener('abort', goAway);
        queue.delete(one);
        // To the end of the turns.
        waiting.delete(party);
        if (queue.size > 0) waiting.set(party, queue);
      };
      const goAway = () => {
        leave();
        reject(signal.reason);
      };
      const one = {
        begin: () => {
          leave();
          take(party);
          resolve();
        },
      };
      queue.add(one);
      signal.addEventListener('abort', goAway);
    });
  }

  async function run<T>(party: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const wait = place(party, signal);
    if (wait) await wait;
    try {
      return await work();
    } finally {
      release(party);
    }
  }
  return Object.assign(run, {
    waiting: () => [...waiting.values()].reduce((sum, queue) => sum + queue.size, 0),
    isFull: () => running >= atOnce,
  });
}
