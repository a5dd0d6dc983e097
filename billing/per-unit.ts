import type { Decimal } from './decimal.ts';
import type { ModelPrice } from './model-price.ts';

/** Price times quantity (interface: per-unit, and hybrid beyond its allowance). */
export function ratePerUnit(unitPrice: Decimal, billable: Decimal): ModelPrice {
  return { unitPrice, tiers: [], amount: billable.times(unitPrice) };
}
