import type { BilledUsage } from '../../billing/metering/billed-usage.ts';
import type { Period } from '../../billing/periods/periods.ts';
import { limitedSoFar, NONE_SO_FAR } from '../../billing/pricing/limits.ts';
import type { BillingRules } from '../../billing/snapshot/billing-rules.ts';
import type { Plan } from '../../billing/subscriptions/subscription.ts';
import { listLimitedAmounts, listLimitedLines } from '../../sql/postgres/invoices/limited-amounts.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';

type LimitRules = Pick<BillingRules, 'limitedSoFar' | 'limitedOf'>;

/** By which plans, for whose periods that are open or pending, and for what is counted again. */
type Wanted = Pick<BillingRules, 'planOf' | 'metricOf'> & {
  plans: Iterable<Plan>;
  holders: readonly string[];
  periods: readonly Period[];
  billed: readonly BilledUsage[];
};

/** What has been trued up, and what limits count of closed periods; nothing is asked where no plan has limits. */
export async function loadLimits(
  tx: Transaction,
  accountId: string,
  { plans, holders, periods, billed, planOf, metricOf }: Wanted,
): Promise<LimitRules> {
  const limited = [...plans].filter(({ limits, components }) => limits || components.some((one) => one.limits));
  if (limited.length === 0) return { limitedSoFar: () => NONE_SO_FAR, limitedOf: () => [] };
  const isPlanLimited = limited.some(({ limits }) => limits);
  const idsOfBilled = [...new Set(billed.map(({ subscriptionId }) => subscriptionId))];
  const [lines, amounts] = await Promise.all([
    listLimitedLines(tx, accountId, isPlanLimited ? holders : [], earliest(periods.map(({ billing }) => billing))),
    listLimitedAmounts(tx, accountId, idsOfBilled, earliest(billed)),
  ]);
  return {
    limitedSoFar: (ids, period) => limitedSoFar(lines, ids, period),
    limitedOf: (one) => {
      const { subscriptionId, metricId, endsAt } = one;
      const isOf = (of: { subscriptionId: string; startsAt: number; endsAt: number }) =>
        of.subscriptionId === subscriptionId && of.startsAt < endsAt && endsAt <= of.endsAt;
      return [metricId, null].flatMap((id) => {
        const amount = amounts.find((kept) => kept.metricId === id && isOf(kept));
        return amount ? [{ ...amount, name: id === null ? planOf(one).name : metricOf(id).metricName }] : [];
      });
    },
  };
}

function earliest(all: readonly { startsAt: number }[]): number {
  return all.reduce((first, { startsAt }) => Math.min(first, startsAt), Number.MAX_SAFE_INTEGER);
}
