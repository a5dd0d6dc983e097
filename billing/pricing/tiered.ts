import { type Decimal, sum, ZERO } from '../../core/decimal.ts';
import type { ModelPrice, RatedTier, Tier } from './model-price.ts';

/**
 * Usage is split into bands, each at its own rate; a tier's flat fee is charged when any quantity above 0 falls in it,
 * and a quantity equal to `upTo` is inside that tier (spec/rating#tiered).
 */
export function rateTiered(tiers: readonly Tier[], billable: Decimal): ModelPrice {
  const used: RatedTier[] = [];
  let from = ZERO;
  for (const tier of tiers) {
    const end = tier.upTo === null || billable.lt(tier.upTo) ? billable : tier.upTo;
    const quantity = end.minus(from);
    if (!quantity.gt(0)) break;
    used.push({ ...tier, quantity, amount: quantity.times(tier.unitPrice).plus(tier.flatFee) });
    from = end;
  }
  if (!from.eq(billable)) throw new Error('the last tier has an end');
  return { unitPrice: null, tiers: used, amount: sum(used.map((tier) => tier.amount)) };
}
