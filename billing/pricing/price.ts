import type { Decimal } from '../../core/decimal.ts';
import type { Tier } from './model-price.ts';
import type { PercentagePrice } from './percentage.ts';

/** What a quantity is priced by, by model (spec/rating#order). */
export type Price =
  | { pricingModel: 'per_unit'; overagePrice: Decimal }
  | { pricingModel: 'package'; overagePrice: Decimal; packageSize: Decimal }
  | { pricingModel: 'tiered' | 'volume'; tiers: readonly Tier[] }
  | PercentagePrice
  | NoPrice;

/** Of a component whose rows alone have prices (spec/price-books). */
type NoPrice = { pricingModel: null };

export type PricingModel = NonNullable<Price['pricingModel']>;

/** The same as it is stored and sent: null what its model does not have. */
export type PriceFields = {
  pricingModel: PricingModel | null;
  overagePrice: Decimal | null;
  packageSize: Decimal | null;
  tiers: readonly Tier[] | null;
  percentage: Decimal | null;
  fixedAmount: Decimal | null;
  perEventMinimum: Decimal | null;
  perEventMaximum: Decimal | null;
};

/** The price that these fields are. Throws where one is missing that the model needs: they are checked before they are stored. */
export function priceOfFields(fields: PriceFields): Price {
  const { pricingModel, overagePrice, packageSize, tiers, percentage, fixedAmount } = fields;
  switch (pricingModel) {
    case null:
      return { pricingModel };
    case 'per_unit':
      if (overagePrice) return { pricingModel, overagePrice };
      break;
    case 'package':
      if (overagePrice && packageSize) return { pricingModel, overagePrice, packageSize };
      break;
    case 'tiered':
    case 'volume':
      if (tiers) return { pricingModel, tiers };
      break;
    case 'percentage': {
      const { perEventMinimum, perEventMaximum } = fields;
      if (percentage && fixedAmount) return { pricingModel, percentage, fixedAmount, perEventMinimum, perEventMaximum };
    }
  }
  throw new Error(`a ${pricingModel} price is not whole`);
}

/** The fields of a price that has none. */
export const NO_PRICE: Omit<PriceFields, 'pricingModel'> = {
  overagePrice: null,
  packageSize: null,
  tiers: null,
  percentage: null,
  fixedAmount: null,
  perEventMinimum: null,
  perEventMaximum: null,
};

/** A price as it is stored and sent. */
export function fieldsOfPrice(price: Price): PriceFields {
  switch (price.pricingModel) {
    case null:
      return { ...NO_PRICE, pricingModel: null };
    case 'per_unit':
      return { ...NO_PRICE, pricingModel: price.pricingModel, overagePrice: price.overagePrice };
    case 'package': {
      const { pricingModel, overagePrice, packageSize } = price;
      return { ...NO_PRICE, pricingModel, overagePrice, packageSize };
    }
    case 'tiered':
    case 'volume':
      return { ...NO_PRICE, pricingModel: price.pricingModel, tiers: price.tiers };
    case 'percentage': {
      const { pricingModel, percentage, fixedAmount, perEventMinimum, perEventMaximum } = price;
      return { ...NO_PRICE, pricingModel, percentage, fixedAmount, perEventMinimum, perEventMaximum };
    }
  }
}
