import { type Decimal, sum, ZERO } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';

/** The least and the most that something comes to in a period, in major units; null: no such limit (spec/rating#limits). */
export type Limits = { minimumAmount: Decimal | null; maximumAmount: Decimal | null };

/** What has limits, where it has any. */
export type Limited = { limits?: Limits };

/** The limits as a field of what has them: none where neither is set. */
export function limitedBy(minimumAmount: Decimal | null, maximumAmount: Decimal | null): Limited {
  return minimumAmount === null && maximumAmount === null ? {} : { limits: { minimumAmount, maximumAmount } };
}

/** What is missing to the minimum, or (below 0) too much for the maximum; where they cross, the maximum holds. */
export function differenceToLimits(amount: Decimal, { minimumAmount, maximumAmount }: Limits): Decimal {
  const atLeast = minimumAmount !== null && amount.lt(minimumAmount) ? minimumAmount : amount;
  const within = maximumAmount !== null && atLeast.gt(maximumAmount) ? maximumAmount : atLeast;
  return within.eq(amount) ? ZERO : within.minus(amount);
}

/** What a true_up line charges: the difference of what was `charged` to the limits, less what earlier lines have trued up. */
export function trueUpAmount({
  charged,
  truedUp,
  limits,
}: {
  charged: Decimal;
  truedUp: Decimal;
  limits: Limits;
}): Decimal {
  return differenceToLimits(charged, limits).minus(truedUp);
}

/** What earlier usage months of a billing period were charged for usage and prepaid units, and what its plan's limits have trued up. */
export type LimitedSoFar = { charged: Decimal; truedUp: Decimal };

export const NONE_SO_FAR: LimitedSoFar = { charged: ZERO, truedUp: ZERO };

/**
 * Lines of earlier invoices that a plan's limits count in a period, or (`isTrueUp`) have made of its billing period. `begunAt`: when the
 * first period of their subscription began.
 */
export type LimitedLines = {
  subscriptionId: string;
  begunAt: Instant;
  periodStart: Instant;
  isTrueUp: boolean;
  amount: Decimal;
};

/** What lines before the end of a period say of its billing period; `holders`: those that have had it. */
export function limitedSoFar(
  lines: readonly LimitedLines[],
  holders: readonly string[],
  { startsAt, billing }: { startsAt: Instant; billing: { startsAt: Instant } },
): LimitedSoFar {
  const ours = lines.filter(({ subscriptionId }) => holders.includes(subscriptionId));
  // Usage that a switch has moved along is older than the billing period that it began.
  const charged = ours.filter(({ isTrueUp, begunAt, periodStart }) => {
    const isOfBilling = periodStart >= billing.startsAt || begunAt === billing.startsAt;
    return !isTrueUp && isOfBilling && periodStart < startsAt;
  });
  const truedUp = ours.filter(({ isTrueUp, periodStart }) => isTrueUp && periodStart === billing.startsAt);
  return { charged: sum(charged.map(({ amount }) => amount)), truedUp: sum(truedUp.map(({ amount }) => amount)) };
}
