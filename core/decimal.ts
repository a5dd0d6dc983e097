import BigNumberJs, { type BigNumber } from 'bignumber.js';

/**
 * An exact decimal. All arithmetic but division is exact; a division keeps 40 decimals, which is far finer than any
 * price (12 decimals) divided by any number of days, so rounding its result once never meets a false tie.
 */
export type Decimal = BigNumber;

const Exact = BigNumberJs.clone({
  DECIMAL_PLACES: 40,
  ROUNDING_MODE: BigNumberJs.ROUND_HALF_UP,
  EXPONENTIAL_AT: 1e9,
});

const PLAIN = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * The decimal of a text in decimal notation, of a safe integer, or of a decimal.
 * Throws on anything else (a bug, not bad input: borders parse first): NaN, infinities, fractions as floats, hex.
 */
export function decimal(x: string | number | Decimal): Decimal {
  if (typeof x === 'number') {
    if (!Number.isSafeInteger(x)) throw new Error(`decimal: ${x} is not a safe integer; pass a text`);
    return new Exact(x);
  }
  if (typeof x === 'string' && !PLAIN.test(x)) throw new Error(`decimal: ${JSON.stringify(x)} is not a decimal`);
  const d = new Exact(x);
  if (!d.isFinite()) throw new Error(`decimal: ${JSON.stringify(x)} is not finite`);
  return d;
}

export const ZERO: Decimal = decimal(0);

/** True for a decimal that this file made; a float, text, or an object that only looks like one is none. */
export function isDecimal(x: unknown): x is Decimal {
  return x instanceof Exact;
}

/** `x` rounded to `places` decimals (0 or more), ties away from zero: 2.5 -> 3, -2.5 -> -3 (spec/rating#rounding). */
export function roundHalfAwayFromZero(x: Decimal, places: number): Decimal {
  return x.decimalPlaces(places, BigNumberJs.ROUND_HALF_UP);
}

/** `x` without its decimals: 2.9 -> 2, -2.9 -> -2. */
export function wholePart(x: Decimal): Decimal {
  return x.integerValue(BigNumberJs.ROUND_DOWN);
}

/** The exact sum; 0 of nothing. */
export function sum(xs: Iterable<Decimal>): Decimal {
  let total = ZERO;
  for (const x of xs) total = total.plus(x);
  return total;
}

/** The smaller of the two. */
export function min(a: Decimal, b: Decimal): Decimal {
  return a.lt(b) ? a : b;
}

/** Plain canonical digits: no exponent, no trailing zeros, and 0 for minus zero. */
export function toPlain(x: Decimal): string {
  return x.toFixed();
}
