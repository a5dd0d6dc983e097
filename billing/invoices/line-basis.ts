import type { Decimal } from '../../core/decimal.ts';
import type { Limits } from '../pricing/limits.ts';

/**
 * What a true_up line was reckoned from (spec/rating#limits): what was `charged` for what the limits count, and what earlier lines
 * have trued up of it.
 */
export type TrueUpBasis = Limits & { of: 'limits'; charged: Decimal; truedUp: Decimal; isLate: boolean };

/**
 * What a discount line was reckoned from: what was left of the lines that fit, and what is taken off that; of an amount off `credited`, which
 * had been credited of them before, is not in what was left.
 */
export type DiscountBasis = {
  of: 'discount';
  discountId: string;
  amount: Decimal;
  credited?: Decimal;
  percentOff: Decimal | null;
  amountOff: Decimal | null;
};

export type LineBasis = TrueUpBasis | DiscountBasis;
