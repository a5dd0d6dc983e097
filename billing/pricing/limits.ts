import { type Decimal, ZERO } from '../../core/decimal.ts';

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
