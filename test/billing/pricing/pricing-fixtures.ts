import fc from 'fast-check';
import type { PricingModel } from '../../../billing/pricing/price.ts';
import type { Component } from '../../../billing/pricing/rating.ts';
import { decimal } from '../../../core/decimal.ts';
import { component } from '../fixtures.ts';

const cents = (max: number, places: number) =>
  fc.integer({ min: 0, max }).map((units) => decimal(units).shiftedBy(-places));

const prices = cents(5_000, 4);
const tierPrices = fc.array(
  fc.record({ width: fc.integer({ min: 1, max: 40 }), unitPrice: prices, flatFee: cents(300, 2) }),
  {
    minLength: 1,
    maxLength: 4,
  },
);

/** Components of every pricing model, with roundings, free tiers and prices of all kinds. */
export const anyComponent: fc.Arbitrary<Component> = fc
  .record({
    pricingModel: fc.constantFrom<PricingModel>('per_unit', 'tiered', 'volume', 'package'),
    rounding: fc.constantFrom<Component['rounding']>('round_down', 'round_up', 'round_nearest', 'no_rounding'),
    freeTier: fc.constantFrom('0', '3', '10.5').map(decimal),
    price: prices,
    packageSize: fc.constantFrom('1', '10', '2.5').map(decimal),
    rows: tierPrices,
  })
  .map(({ pricingModel, rounding, freeTier, price, packageSize, rows }) => {
    const usesTiers = pricingModel === 'tiered' || pricingModel === 'volume';
    let edge = 0;
    const tiers = rows.map(({ width, unitPrice, flatFee }, i) => {
      edge += width;
      return { upTo: i === rows.length - 1 ? null : decimal(edge), unitPrice, flatFee };
    });
    return component({
      pricingModel,
      rounding,
      freeTier,
      overagePrice: usesTiers ? null : price,
      tiers: usesTiers ? tiers : null,
      packageSize: pricingModel === 'package' ? packageSize : null,
    });
  });

/** Quantities as metrics have them: fractions, zero, and now and then below zero. */
export const anyQuantity = fc.integer({ min: -2_000, max: 20_000 }).map((units) => decimal(units).shiftedBy(-2));
