import type { Decimal } from '../../core/decimal.ts';
import type { ModelPrice } from './model-price.ts';

/** Price times quantity (spec/rating#per-unit). */
export function ratePerUnit(unitPrice: Decimal, billable: Decimal): ModelPrice {
  return { unitPrice, tiers: [], amount: billable.times(unitPrice) };
}
