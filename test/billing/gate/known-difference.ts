import { plannedEndOfPause } from '../../../billing/subscriptions/end-of-pause.ts';
import type { Subscription } from '../../../billing/subscriptions/subscription.ts';
import type { CorePlayer } from '../lives/core-player.ts';
import type { Bill, Life, LifePlan, LifeStep } from '../lives/life.ts';

/**
 * A reason for which a draft and the invoices differ today. Random lives leave out what it covers; a change that makes the draft right
 * removes it, and the random lives then hold that it stays right.
 */
export type KnownDifference = {
  id: string;
  title: string;
  /** Whether the draft of one who pays may differ for this reason. */
  covers: (player: CorePlayer, customer: string) => boolean;
  /** What is left to compare; if it is not there, nothing is. */
  without?: (bills: Bill[]) => Bill[];
  /** Minimal lives, with what is drafted at their end and issued later. */
  examples: DraftExample[];
};

export type DraftExample = { title: string; life: Life; drafted: string[]; issued: string[] };

export const some = (is: (subscription: Subscription) => boolean) => (player: CorePlayer, customer: string) =>
  player.contractsOf(customer).some(({ held }) => is(held.subscription));

export const lifeOf = (plans: Record<string, LifePlan>, ...steps: LifeStep[]): Life => ({
  ...{ customers: [{ id: 'a' }], plans, steps, until: 100 },
});
export const QUARTER: LifePlan = { fee: '30', days: 90, billsMonths: true };
export const ARREARS: LifePlan = { fee: '30', timing: 'in_arrears' };
export const FREE_ARREARS: LifePlan = { fee: '0', timing: 'in_arrears' };

/** The subscription as it is behind a pause whose end is planned. */
export function behindPause(one: Subscription): Subscription {
  return plannedEndOfPause(one, 'UTC')?.subscription ?? one;
}
