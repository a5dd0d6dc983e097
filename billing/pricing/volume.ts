import { type Decimal, ZERO } from '../../core/decimal.ts';
import type { ModelPrice, Tier } from './model-price.ts';

/**
 * The whole quantity is charged at the rate of the one tier it falls into, plus that tier's flat fee; a quantity equal to
 * `upTo` is inside that tier; nothing costs nothing (spec/rating#volume).
 */
export function rateVolume(tiers: readonly Tier[], billable: Decimal): ModelPrice {
  if (billable.isZero()) return { unitPrice: null, tiers: [], amount: ZERO };
  const tier = tiers.find(({ upTo }) => upTo === null || billable.lte(upTo));
  if (tier === undefined) throw new Error('the last tier has an end');
  const amount = billable.times(tier.unitPrice).plus(tier.flatFee);
  return { unitPrice: null, tiers: [{ ...tier, quantity: billable, amount }], amount };
}
