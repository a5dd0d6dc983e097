import { type Decimal, decimal } from './decimal.ts';

/** What an exact number may have (spec/events#fields), counted after its exponent is expanded and outer zeros are dropped. */
const MAX_INTEGER_DIGITS = 20;
const MAX_DECIMALS = 18;

const SHORT_INTEGER = /^-?(?:0|[1-9]\d{0,14})$/;
const JSON_NUMBER = /^-?(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * The exact value of a text that is a JSON number within 20 integer digits and 18 decimals; null otherwise. The size is
 * known before anything is expanded, so `1e999999999` costs nothing.
 */
export function parseExactNumber(text: string): Decimal | null {
  if (SHORT_INTEGER.test(text)) return decimal(Number(text));
  const match = JSON_NUMBER.exec(text);
  if (match === null) return null;
  const [, integer = '', fraction = '', exponent = '0'] = match;
  const digits = (integer + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return decimal(0);
  // value = 0.<significant> * 10^magnitude, so magnitude is the number of its integer digits
  const magnitude = digits.length - fraction.length + Number(exponent);
  if (magnitude > MAX_INTEGER_DIGITS || significant.length - magnitude > MAX_DECIMALS) return null;
  const sign = text.startsWith('-') ? '-' : '';
  return decimal(`${sign}0.${significant}e${magnitude}`);
}
