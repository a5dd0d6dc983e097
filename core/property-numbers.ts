import { type Decimal, decimal, roundHalfAwayFromZero, ZERO } from './decimal.ts';

/** What an exact number may have (spec/events#fields), counted after its exponent is expanded and outer zeros are dropped. */
const MAX_INTEGER_DIGITS = 20;
const MAX_DECIMALS = 18;
const TOO_LARGE = decimal(`1e${MAX_INTEGER_DIGITS}`);

const SHORT_INTEGER = /^-?(?:0|[1-9]\d{0,14})$/;
const JSON_NUMBER = /^-?(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * The exact value of a text that is a JSON number within 20 integer digits and 18 decimals; null otherwise. The size is
 * known before anything is expanded, so `1e999999999` costs nothing.
 */
export function parseExactNumber(text: string): Decimal | null {
  if (SHORT_INTEGER.test(text)) return decimal(Number(text));
  const parts = partsOf(text);
  if (parts === null) return null;
  const { sign, significant, magnitude } = parts;
  if (significant === '') return ZERO;
  if (magnitude > MAX_INTEGER_DIGITS || significant.length - magnitude > MAX_DECIMALS) return null;
  return decimal(`${sign}0.${significant}e${magnitude}`);
}

/**
 * As {@link parseExactNumber}, a number of more than 18 decimals rounded to 18, half away from zero (spec/senders#values);
 * null for what is no JSON number, or has more than 20 integer digits.
 */
export function parseRoundedNumber(text: string): Decimal | null {
  if (SHORT_INTEGER.test(text)) return decimal(Number(text));
  const parts = partsOf(text);
  if (parts === null || parts.magnitude > MAX_INTEGER_DIGITS) return null;
  const { sign, significant, magnitude } = parts;
  // The first digit that is dropped decides, whatever follows it.
  const digits = significant.slice(0, Math.max(0, magnitude + MAX_DECIMALS + 1));
  if (digits === '') return ZERO;
  const rounded = roundHalfAwayFromZero(decimal(`${sign}0.${digits}e${magnitude}`), MAX_DECIMALS);
  return rounded.abs().lt(TOO_LARGE) ? rounded : null;
}

/** A JSON number as ±0.`significant` * 10^`magnitude`, which is so the number of its integer digits. `significant` is '' for 0. */
type NumberParts = { sign: '' | '-'; significant: string; magnitude: number };

function partsOf(text: string): NumberParts | null {
  const match = JSON_NUMBER.exec(text);
  if (match === null) return null;
  const [, integer = '', fraction = '', exponent = '0'] = match;
  const digits = (integer + fraction).replace(/^0+/, '');
  // The look-behind keeps this linear: without it the search starts again at each zero.
  const significant = digits.replace(/(?<!0)0+$/, '');
  const magnitude = significant === '' ? 0 : digits.length - fraction.length + Number(exponent);
  return { sign: text.startsWith('-') ? '-' : '', significant, magnitude };
}
