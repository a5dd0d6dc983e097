import { type Decimal, sum, ZERO } from '../../core/decimal.ts';
import type { ModelPrice } from './model-price.ts';

/** A price of each event by its value (spec/rating#percentage): `percentage` from 0 to 100, money exact; null: no bound. */
export type PercentagePrice = {
  pricingModel: 'percentage';
  percentage: Decimal;
  fixedAmount: Decimal;
  perEventMinimum: Decimal | null;
  perEventMaximum: Decimal | null;
};

/** What events come to that have a price each: the sum of the values above 0, and of their exact prices. */
export type EventPrices = { billable: Decimal; amount: Decimal };

/** The exact price of one event; one of 0 or less costs nothing. */
export function priceOfEvent(price: PercentagePrice, value: Decimal): Decimal {
  if (!value.gt(0)) return ZERO;
  const { percentage, fixedAmount, perEventMinimum: least, perEventMaximum: most } = price;
  const exact = value.times(percentage).shiftedBy(-2).plus(fixedAmount);
  const raised = least?.gt(exact) ? least : exact;
  return most?.lt(raised) ? most : raised;
}

/** The events of these values together: the model of what ClickHouse sums. */
export function priceEvents(price: PercentagePrice, values: readonly Decimal[]): EventPrices {
  return {
    billable: sum(values.filter((value) => value.gt(0))),
    amount: sum(values.map((value) => priceOfEvent(price, value))),
  };
}

/** The price of events that have been priced one by one. */
export function ratePercentage({ amount }: EventPrices): ModelPrice {
  return { unitPrice: null, tiers: [], amount };
}
