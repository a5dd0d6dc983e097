import { groupDigits } from '../billing/invoices/line-descriptions.ts';
import { currencyOf } from '../core/currencies.ts';
import { type Decimal, decimal } from '../core/decimal.ts';
import { groupThousands } from '../core/group-thousands.ts';

const MINUS = '\u2212';

/** `$1,234.50`, `−€0.30`, `¥1,200`, `CHF 12.00`: the currency's own decimals, a true minus sign before the symbol. */
export function moneyText(amount: Decimal, currency: string): string {
  const { exponent, symbol } = currencyOf(currency);
  const [integer = '', fraction] = amount.abs().toFixed(exponent).split('.');
  const digits = fraction === undefined ? groupThousands(integer) : `${groupThousands(integer)}.${fraction}`;
  const space = /\p{L}$/u.test(symbol) ? '\u00a0' : '';
  return `${amount.isNegative() && !amount.isZero() ? MINUS : ''}${symbol}${space}${digits}`;
}

/** A unit price: at least the currency's decimals, and as many more as it has. */
export function priceText(price: Decimal, currency: string): string {
  const { exponent } = currencyOf(currency);
  const places = price.decimalPlaces() ?? 0;
  if (places <= exponent) return moneyText(price, currency);
  const whole = moneyText(decimal(price.toFixed(0, 1)), currency).replace(/\.\d+$/, '');
  return `${whole}.${price.toFixed().split('.')[1] ?? ''}`;
}

/** `1,234.5`, exact. */
export function quantityText(quantity: Decimal): string {
  return groupDigits(quantity).replace('-', MINUS);
}
