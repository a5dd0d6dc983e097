import type { Decimal } from '../../core/decimal.ts';
import type { Tier } from './model-price.ts';

/** What a quantity is priced by, by model (spec/rating#order). */
export type Price =
  | { pricingModel: 'per_unit'; overagePrice: Decimal }
  | { pricingModel: 'package'; overagePrice: Decimal; packageSize: Decimal }
  | { pricingModel: 'tiered' | 'volume'; tiers: readonly Tier[] };

export type PricingModel = Price['pricingModel'];

/** The same as it is stored and sent: null what its model does not have. */
export type PriceFields = {
  pricingModel: PricingModel;
  overagePrice: Decimal | null;
  packageSize: Decimal | null;
  tiers: readonly Tier[] | null;
};

/** The price that these fields are. Throws where one is missing that the model needs: they are checked before they are stored. */
export function priceOfFields({ pricingModel, overagePrice, packageSize, tiers }: PriceFields): Price {
  switch (pricingModel) {
    case 'per_unit':
      if (overagePrice) return { pricingModel, overagePrice };
      break;
    case 'package':
      if (overagePrice && packageSize) return { pricingModel, overagePrice, packageSize };
      break;
    case 'tiered':
    case 'volume':
      if (tiers) return { pricingModel, tiers };
  }
  throw new Error(`a ${pricingModel} price is not whole`);
}

/** A price as it is stored and sent. */
export function fieldsOfPrice(price: Price): PriceFields {
  const none = { overagePrice: null, packageSize: null, tiers: null };
  switch (price.pricingModel) {
    case 'per_unit':
      return { ...none, pricingModel: price.pricingModel, overagePrice: price.overagePrice };
    case 'package': {
      const { pricingModel, overagePrice, packageSize } = price;
      return { ...none, pricingModel, overagePrice, packageSize };
    }
    case 'tiered':
    case 'volume':
      return { ...none, pricingModel: price.pricingModel, tiers: price.tiers };
  }
}
