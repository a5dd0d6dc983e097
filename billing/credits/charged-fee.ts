import { type Decimal, min, roundHalfAwayFromZero } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';

/**
 * What was charged ahead for a period that ends: a fee line of an invoice that is not void; `left`: what of that whole
 * invoice can still be given back, with tax.
 */
export type ChargedFee = { invoiceId: string; taxRate: Decimal; amount: Decimal; left: Decimal };

/**
 * The same, and what the whole invoice says is due, with tax, where it is uncollectible; else 0. `credited`: what of the
 * invoice was given back as credits, with tax.
 */
export type CollectedFee = ChargedFee & { unpaid: Decimal; credited?: Decimal };

/**
 * What a switch to a dearer plan at `at` has charged on an invoice, as the new subscription's; nothing is left of one that is
 * void. `charges`: all that the invoice charges, without tax.
 */
export type SwitchCharge = CollectedFee & { subscriptionId: string; at: Instant; charges: Decimal };

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
