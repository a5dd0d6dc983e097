import type { BilledUsage } from '../../billing/metering/billed-usage.ts';
import type { Period } from '../../billing/periods/periods.ts';
import { type BillingRules, limitKeepers } from '../../billing/state/billing-rules.ts';
import { listLimitedAmounts, listLimitedLines } from '../../sql/postgres/invoices/limited-amounts.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';

/** The plans with limits, the open and pending periods with their subscriptions, and the billed usage that is counted again. */
type Wanted = Pick<BillingRules, 'plans' | 'switched'> & {
  holders: readonly string[];
  periods: readonly Period[];
  billed: readonly BilledUsage[];
};

/** Loads the lines and amounts that limits count. Asks nothing if no plan has limits and no usage is counted again. */
export async function loadLimits(
  tx: Transaction,
  accountId: string,
  { plans, holders, periods, billed, switched }: Wanted,
): Promise<Pick<BillingRules, 'limitedLines' | 'limitedAmounts'>> {
  const isPlanLimited = Object.values(plans).some(({ limits }) => limits);
  const keepers = new Set(billed.flatMap(({ subscriptionId }) => limitKeepers({ switched }, subscriptionId)));
  const [limitedLines, limitedAmounts] = await Promise.all([
    listLimitedLines(tx, accountId, isPlanLimited ? holders : [], earliest(periods.map(({ billing }) => billing))),
    listLimitedAmounts(tx, accountId, [...keepers], earliest(billed)),
  ]);
  return { limitedLines, limitedAmounts };
}

function earliest(all: readonly { startsAt: number }[]): number {
  return all.reduce((first, { startsAt }) => Math.min(first, startsAt), Number.MAX_SAFE_INTEGER);
}
