import type { FairTurns } from '../../runtime/fair-turns.ts';
import type { Stoppable } from '../../runtime/lifecycle.ts';
import type { Log } from '../../runtime/log.ts';
import { repeat } from '../../runtime/repeat.ts';

/** Work that is looked for in the records of all accounts. */
export type AccountSweep = {
  name: string;
  /** Between two looks for accounts. */
  pauseMs: number;
  /** Returns accounts that have work, without those of `underWay`. */
  listAccounts(underWay: readonly string[]): Promise<string[]>;
  /** Returns the next pieces of an account's work, in order. Each is a transaction, and resolves with true if it changed something. */
  listWork(accountId: string): Promise<(() => Promise<boolean>)[]>;
};

/**
 * Does work of all accounts, again and again. Each piece is done in the account's turn, so an account with thousands of pieces, or
 * with one that waits for a lock, holds up nobody else. What fails is logged and left to the next look.
 */
export function startAccountSweep(sweep: AccountSweep, turns: FairTurns, log: Log): Stoppable {
  const underWay = new Map<string, Promise<void>>();
  const stopped = new AbortController();

  async function sweepAccount(accountId: string): Promise<void> {
    for (;;) {
      let hasChanged = false;
      for (const work of await turns(accountId, stopped.signal, () => sweep.listWork(accountId))) {
        hasChanged = (await turns(accountId, stopped.signal, work)) || hasChanged;
      }
      if (!hasChanged) return;
    }
  }

  async function logged(accountId: string): Promise<void> {
    try {
      await sweepAccount(accountId);
    } catch (err) {
      if (!stopped.signal.aborted) log.warn({ err, accountId, loop: sweep.name }, 'the work of an account failed');
    } finally {
      underWay.delete(accountId);
    }
  }

  const loop = repeat(sweep.name, log, sweep.pauseMs, async () => {
    for (const accountId of await sweep.listAccounts([...underWay.keys()])) {
      if (!underWay.has(accountId)) underWay.set(accountId, logged(accountId));
    }
  });
  return {
    name: sweep.name,
    stop: async () => {
      stopped.abort();
      await loop.stop();
      await Promise.all(underWay.values());
    },
  };
}
