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

/**
 * What a late line below zero was settled from (spec/reversals#late-corrections): the difference that late events make to the price, and the tax that goes
 * back with the line, at the rate of the invoice that it takes back.
 */
export type LateBasis = { of: 'late_usage'; amount: Decimal; taxRate: Decimal; taxAmount: Decimal };

/** A part of a charge that is taken back, by the place of its line on its invoice, with the tax in it. */
export type ReversalPart = { invoiceId: string; ordinal: number; amount: Decimal; taxAmount: Decimal };

export type LineBasis = TrueUpBasis | DiscountBasis | LateBasis;
