/** Exact rational numbers on bigint: the model's own arithmetic, which shares nothing with core/decimal.ts. */
export type Fraction = { n: bigint; d: bigint };

export const NOUGHT: Fraction = { n: 0n, d: 1n };

export function fraction(text: string): Fraction {
  const [whole = '', decimals = ''] = text.split('.');
  return reduced(BigInt(whole + decimals), 10n ** BigInt(decimals.length));
}

export function whole(n: bigint | number): Fraction {
  return { n: BigInt(n), d: 1n };
}

export function add(a: Fraction, b: Fraction): Fraction {
  return reduced(a.n * b.d + b.n * a.d, a.d * b.d);
}

export function subtract(a: Fraction, b: Fraction): Fraction {
  return add(a, { n: -b.n, d: b.d });
}

export function multiply(a: Fraction, b: Fraction): Fraction {
  return reduced(a.n * b.n, a.d * b.d);
}

export function divide(a: Fraction, b: Fraction): Fraction {
  return b.n < 0n ? reduced(-a.n * b.d, a.d * -b.n) : reduced(a.n * b.d, a.d * b.n);
}

/** Below, at or above 0 as `a` is below, at or above `b`. */
export function compare(a: Fraction, b: Fraction): number {
  const difference = a.n * b.d - b.n * a.d;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export function least(a: Fraction, b: Fraction): Fraction {
  return compare(a, b) < 0 ? a : b;
}

export function notBelowNought(a: Fraction): Fraction {
  return a.n < 0n ? NOUGHT : a;
}

/** The highest whole number not above `a`. */
export function floor({ n, d }: Fraction): bigint {
  const towardsNought = n / d;
  return n < 0n && towardsNought * d !== n ? towardsNought - 1n : towardsNought;
}

export function ceiling({ n, d }: Fraction): bigint {
  return -floor({ n: -n, d });
}

/** Half away from nought. */
export function nearest({ n, d }: Fraction): bigint {
  return n < 0n ? -nearest({ n: -n, d }) : (2n * n + d) / (2n * d);
}

/** In whole units of the smallest money, of which 10^places are one. */
export function toUnits(a: Fraction, places: number): bigint {
  return nearest(multiply(a, whole(10n ** BigInt(places))));
}

/** Decimal text without outer zeros; throws for what has no end in decimals. */
export function text(a: Fraction): string {
  let places = 0;
  let { n } = a;
  for (let { d } = a; d !== 1n; d /= common(d, 10n)) {
    if (common(d, 10n) === 1n) throw new Error('a fraction without end');
    places++;
  }
  n = (a.n * 10n ** BigInt(places)) / a.d;
  return unitsText(n, places);
}

/** `units` of which 10^places are one, as decimal text without outer zeros. */
export function unitsText(units: bigint, places: number): string {
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0');
  const cut = digits.length - places;
  const decimals = digits.slice(cut).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${digits.slice(0, cut)}${decimals === '' ? '' : `.${decimals}`}`;
}

function reduced(n: bigint, d: bigint): Fraction {
  if (d === 1n) return { n, d };
  const by = common(n < 0n ? -n : n, d);
  return { n: n / by, d: d / by };
}

function common(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}
