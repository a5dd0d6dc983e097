/** Decimals that the service keeps (spec/events#fields). */
const MAX_DECIMALS = 18;
/** The first number with more integer digits than the service keeps. */
const TOO_LARGE = 1e20;

/**
 * A number in JSON, by its shortest form, rounded to 18 decimals, ties away from zero: `0.00022500000000000002` is `0.000225`.
 * Undefined for NaN, infinities, and what has more than 20 integer digits.
 */
export function numberText(value: number): string | undefined {
  if (!(Math.abs(value) < TOO_LARGE)) return undefined;
  const text = String(value);
  // A sign, a digit before the point, the point, 18 decimals: what is shorter cannot have more of them.
  if (text.length <= MAX_DECIMALS + 2 && !text.includes('e')) return text;
  return rounded(text);
}

/** `text`: plain digits, or a mantissa with an exponent below zero: larger numbers JavaScript writes without one up to 1e21. */
function rounded(text: string): string {
  const [mantissa = '', exponent = '0'] = text.split('e');
  const [integer = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const decimals = fraction.length - Number(exponent);
  if (decimals <= MAX_DECIMALS) return text;
  const divisor = 10n ** BigInt(decimals - MAX_DECIMALS);
  const units = (BigInt(integer + fraction) + divisor / 2n) / divisor;
  if (units === 0n) return '0';
  const digits = String(units).padStart(MAX_DECIMALS + 1, '0');
  const plain = `${digits.slice(0, -MAX_DECIMALS)}.${digits.slice(-MAX_DECIMALS)}`
    .replace(/(?<!0)0+$/, '')
    .replace(/\.$/, '');
  return text.startsWith('-') ? `-${plain}` : plain;
}
