import type { Addon } from '../../billing/catalog/addons.ts';
import { currencyOf } from '../../core/currencies.ts';
import { invalid } from '../../core/domain-error.ts';

/**
 * Makes sure that money has no more decimals than its currency; the price of a quantity add-on is a unit price, which may
 * have more (spec/api#numbers).
 * @throws DomainError `invalid`.
 */
export function checkAddonPrice({ kind, price, currency }: Pick<Addon, 'kind' | 'price' | 'currency'>): void {
  const { exponent } = currencyOf(currency);
  if (kind === 'quantity' || (price.decimalPlaces() ?? 0) <= exponent) return;
  throw invalid({ price: [`Must have at most ${exponent} decimals in ${currency}.`] });
}
