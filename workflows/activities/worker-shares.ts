import { type FairTurns, fairTurns } from '../../runtime/fair-turns.ts';
import type { CustomerRef } from '../../services/references.ts';

/** The number of concurrent steps that may wait for usage. A waiting step holds no Postgres connection. */
const STEPS = { atOnce: 8, ofOne: 7 };

/** Transactions of sweeps at once. */
const SWEEPS = { atOnce: 4, ofOne: 1, waitingOfOne: Number.POSITIVE_INFINITY };

/** Runs a step of a customer in its turn: after those of the same customer, and among accounts fairly. */
export type CustomerTurns = {
  <T>(customer: CustomerRef, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** The turns of accounts. */
  ofAccounts: FairTurns;
};

/** What accounts share of a worker, each by turns (operations/fair-shares.md). */
export type WorkerShares = {
  clockSteps: FairTurns;
  /** Steps of subscriptions, which may wait for usage. */
  steps: CustomerTurns;
  /** Closings within the task of their workflow. */
  closings: CustomerTurns;
  /** Work that sweeps find: consolidated invoices, invoices that have become past due. */
  sweeps: FairTurns;
};

/** `closingsAtOnce`: customers that are closed beside each other; each holds one of 20 connections to Postgres. */
export function createWorkerShares(closingsAtOnce: number): WorkerShares {
  return {
    clockSteps: fairTurns(clockSteps(closingsAtOnce)),
    steps: customerTurns(STEPS),
    closings: customerTurns({ atOnce: closingsAtOnce, ofOne: closingsAtOnce }),
    sweeps: fairTurns(SWEEPS),
  };
}

/**
 * Steps of test clocks at once. Each is a task of a workflow, and mostly a closing, beside those of what lives in real time. One account
 * leaves a place to others, and on a small machine does one step after another.
 */
function clockSteps(closingsAtOnce: number) {
  const [atOnce, ofOne] = [Math.max(2, closingsAtOnce), Math.max(1, closingsAtOnce - 1)];
  return { atOnce, ofOne, waitingOfOne: Number.POSITIVE_INFINITY };
}

/** A customer's steps come one after another. Those whose turn that is take turns by account. */
export function customerTurns({ atOnce, ofOne }: { atOnce: number; ofOne: number }): CustomerTurns {
  const waitingOfOne = Number.POSITIVE_INFINITY;
  const ofCustomers = fairTurns({ atOnce: Number.POSITIVE_INFINITY, ofOne: 1, waitingOfOne });
  const ofAccounts = fairTurns({ atOnce, ofOne, waitingOfOne });
  const run = <T>({ accountId, customerId }: CustomerRef, signal: AbortSignal, work: () => Promise<T>) =>
    ofCustomers(`${accountId}/${customerId}`, signal, () => ofAccounts(accountId, signal, work));
  return Object.assign(run, { ofAccounts });
}
