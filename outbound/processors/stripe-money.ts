import { currencyOf } from '../../core/currencies.ts';
import type { Decimal } from '../../core/decimal.ts';

/** Currencies without decimals that Stripe still takes in hundredths, for compatibility with what they once were. */
const IN_HUNDREDTHS = new Set(['ISK', 'UGX']);

/**
 * An amount in Stripe's smallest unit: 10.50 USD is 1050, 500 JPY is 500, 5.120 KWD is 5120. An integer, so the number that
 * the SDK wants is exact.
 */
export function stripeAmount(amount: Decimal, currency: string): number {
  const exponent = IN_HUNDREDTHS.has(currency) ? 2 : currencyOf(currency).exponent;
  const minor = amount.shiftedBy(exponent);
  if (!minor.isInteger() || minor.gt(Number.MAX_SAFE_INTEGER)) {
    throw new Error(`${amount.toFixed()} ${currency} has no exact amount at Stripe`);
  }
  return minor.toNumber();
}
