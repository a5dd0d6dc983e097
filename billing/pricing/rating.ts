import { type Decimal, ZERO } from '../../core/decimal.ts';
import type { Limited } from './limits.ts';
import type { ModelPrice } from './model-price.ts';
import { ratePackages } from './package.ts';
import { ratePerUnit } from './per-unit.ts';
import { type EventPrices, type PercentagePrice, ratePercentage } from './percentage.ts';
import type { Price } from './price.ts';
import type { PriceBook } from './price-book.ts';
import { type Rounding, roundQuantity } from './rounding.ts';
import { rateTiered } from './tiered.ts';
import { rateVolume } from './volume.ts';

/** What usage is rated by: its price, and what comes before it. */
export type Pricing = Price & { freeTier: Decimal; rounding: Rounding };

/** A plan's pricing component (spec/plans#components); with a price book its rows have the prices. */
export type Component = Pricing &
  Limited & { componentId: string; metricId: string; prepaidUnits: Decimal; book?: PriceBook };

/** `quantity` is the metric's value, `billableQuantity` what is left of it after rounding and free tier. */
export type Rating = ModelPrice & { quantity: Decimal; billableQuantity: Decimal };

/**
 * The exact price of a quantity (spec/rating#order): "quantity -> rounding once -> minus free_tier, not below 0 -> the model on
 * what remains". A quantity may be negative (a sum can be); it costs nothing. A percentage prices events, not their quantity:
 * `byEvent` is what these come to (spec/rating#percentage).
 */
export function rate(pricing: Pricing, quantity: Decimal, byEvent?: EventPrices): Rating {
  if (pricing.pricingModel === 'percentage') {
    if (!byEvent) throw new Error('a percentage is of events, which have not been priced');
    return { quantity, billableQuantity: byEvent.billable, ...ratePercentage(byEvent) };
  }
  const beyondFree = roundQuantity(quantity, pricing.rounding).minus(pricing.freeTier);
  const billableQuantity = beyondFree.isPositive() ? beyondFree : ZERO;
  return { quantity, billableQuantity, ...priceByModel(pricing, billableQuantity) };
}

/** The exact price of prepaid units: the component's own price of that many units (spec/rating#prepaid). */
export function prepaidPrice(pricing: Pricing, units: Decimal): Decimal {
  return units.isZero() ? ZERO : rate(pricing, units).amount;
}

/** What usage costs beyond what was prepaid: price(usage) - price(prepaid), not below 0 (spec/rating#prepaid). */
export function priceBeyondPrepaid(pricing: Pricing, usage: Rating, prepaidUnits: Decimal): Decimal {
  const beyond = usage.amount.minus(prepaidPrice(pricing, prepaidUnits));
  return beyond.isPositive() ? beyond : ZERO;
}

function priceByModel(pricing: Exclude<Pricing, PercentagePrice>, billable: Decimal): ModelPrice {
  switch (pricing.pricingModel) {
    case null:
      if (!billable.isZero()) throw new Error('what has prices by row alone is not rated without its row');
      return { unitPrice: null, tiers: [], amount: ZERO };
    case 'per_unit':
      return ratePerUnit(pricing.overagePrice, billable);
    case 'tiered':
      return rateTiered(pricing.tiers, billable);
    case 'volume':
      return rateVolume(pricing.tiers, billable);
    case 'package':
      return ratePackages(pricing.overagePrice, pricing.packageSize, billable);
  }
}

/** The price by which each event of the usage has to be priced where it is counted; null where its quantity is enough. */
export function perEventPrice(pricing: Pricing): PercentagePrice | null {
  return pricing.pricingModel === 'percentage' ? pricing : null;
}
