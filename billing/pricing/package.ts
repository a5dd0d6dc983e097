import type { Decimal } from '../../core/decimal.ts';
import type { ModelPrice } from './model-price.ts';

/** The price of one package for every started `packageSize` units (spec/rating#package); `unitPrice` is that of a package. */
export function ratePackages(packagePrice: Decimal, packageSize: Decimal, billable: Decimal): ModelPrice {
  return { unitPrice: packagePrice, tiers: [], amount: packagesOf(packageSize, billable).times(packagePrice) };
}

/** How many packages are started by that many units. Exact: no quotient is rounded. */
export function packagesOf(packageSize: Decimal, billable: Decimal): Decimal {
  const whole = billable.idiv(packageSize);
  return billable.mod(packageSize).isZero() ? whole : whole.plus(1);
}
