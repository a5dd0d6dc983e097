import { type Decimal, min, roundHalfAwayFromZero, sum, ZERO } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';

/**
 * What was charged ahead for a period that ends: a fee line of an invoice that is not void, less its `discount`; `left`: what of that
 * whole invoice can still be given back, with tax; `payerId`: who was billed, left out where that is who is billed now.
 */
export type ChargedFee = {
  invoiceId: string;
  taxRate: Decimal;
  amount: Decimal;
  left: Decimal;
  discount?: Decimal;
  payerId?: string;
};

/**
 * The same, and what the whole invoice says is due, with tax, where it is uncollectible; else 0. `credited`: what of the
 * invoice was given back as credits, with tax. `feeShare`: what percentages that are off fees left of them there.
 */
export type CollectedFee = ChargedFee & { unpaid: Decimal; credited?: Decimal; feeShare?: Decimal };

/**
 * What a switch to a dearer plan at `at` has charged on an invoice, as the new subscription's; nothing is left of one that is
 * void. `charges`: all that the invoice charges, without tax.
 */
export type SwitchCharge = CollectedFee & { subscriptionId: string; at: Instant; charges: Decimal };

/** What of an amount is left once the discounts of charges are off it: 85 of 100 with 15 % off (spec/discounts#given-back). */
export function lessDiscounts(amount: Decimal, charged: readonly Pick<ChargedFee, 'amount' | 'discount'>[]): Decimal {
  const off = sum(charged.map(({ discount = ZERO }) => discount));
  if (off.isZero()) return amount;
  const net = sum(charged.map((one) => one.amount));
  // Divided last: a share that has no end in decimals would lose what makes half a cent a cent.
  return amount.times(net).div(net.plus(off));
}

/** What of a sum with tax is not tax. */
export function withoutTax(total: Decimal, taxRate: Decimal, places: number): Decimal {
  return roundHalfAwayFromZero(total.div(taxRate.shiftedBy(-2).plus(1)), places);
}

/** What of a charge came, without tax: all but what an uncollectible invoice still says is due. */
export function cameOf({ amount, unpaid, taxRate }: CollectedFee, places: number): Decimal {
  return amount.minus(min(amount, withoutTax(unpaid, taxRate, places)));
}

/** What can still be given back of a charge, without tax; other charges of its invoice left aside. */
export function leftOf(charge: CollectedFee, places: number): Decimal {
  return min(cameOf(charge, places), withoutTax(charge.left, charge.taxRate, places));
}
