import type { BilledUsage } from '../../billing/metering/billed-usage.ts';
import type { Period } from '../../billing/periods/periods.ts';
import { holdersOf } from '../../billing/periods/segments.ts';
import type { SwitchedPeriod } from '../../billing/periods/usage-windows.ts';
import { limitedSoFar } from '../../billing/pricing/limits.ts';
import type { BillingRules } from '../../billing/snapshot/billing-rules.ts';
import type { Plan } from '../../billing/subscriptions/subscription.ts';
import { listLimitedAmounts, listLimitedLines } from '../../sql/postgres/invoices/limited-amounts.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';

type LimitRules = Pick<BillingRules, 'limitedSoFar' | 'limitedOf'>;

/** By which plans, for whose periods that are open or pending, and for what is counted again. */
type Wanted = Pick<BillingRules, 'planOf' | 'metricOf'> & {
  plans: ReadonlyMap<string, Plan>;
  holders: readonly string[];
  periods: readonly Period[];
  billed: readonly BilledUsage[];
  /** What switches have left to the first billing period of a subscription. */
  switched: ReadonlyMap<string, SwitchedPeriod>;
};

/** What has been trued up, and what limits count of closed periods; nothing is asked where no plan has limits and nothing is counted again. */
export async function loadLimits(
  tx: Transaction,
  accountId: string,
  { plans, holders, periods, billed, planOf, metricOf, switched }: Wanted,
): Promise<LimitRules> {
  const isPlanLimited = [...plans.values()].some(({ limits }) => limits);
  // A plan's limits are kept as of the first subscription that has had the billing period; of earlier releases as of each.
  const keepersOf = (id: string) => [id, ...holdersOf(switched.get(id)?.plans ?? [])];
  const keepers = new Set(billed.flatMap(({ subscriptionId }) => keepersOf(subscriptionId)));
  const [lines, amounts] = await Promise.all([
    listLimitedLines(tx, accountId, isPlanLimited ? holders : [], earliest(periods.map(({ billing }) => billing))),
    listLimitedAmounts(tx, accountId, [...keepers], earliest(billed)),
  ]);
  return {
    limitedSoFar: (ids, period) => limitedSoFar(lines, ids, period),
    limitedOf: (one) => {
      const { subscriptionId, metricId, endsAt } = one;
      const spanning = amounts.filter((kept) => kept.startsAt < endsAt && endsAt <= kept.endsAt);
      const find = (id: string, of: string | null) =>
        spanning.find((kept) => kept.subscriptionId === id && kept.metricId === of);
      const component = find(subscriptionId, metricId);
      const [plan] = keepersOf(subscriptionId).flatMap((id) => find(id, null) ?? []);
      return [
        ...(component ? [{ ...component, name: metricOf(metricId).metricName }] : []),
        ...(plan ? [{ ...plan, name: planOf(one).name }] : []),
      ];
    },
  };
}

function earliest(all: readonly { startsAt: number }[]): number {
  return all.reduce((first, { startsAt }) => Math.min(first, startsAt), Number.MAX_SAFE_INTEGER);
}
