import { type Decimal, toPlain } from '../core/decimal.ts';
import { isFields } from '../core/fields.ts';
import { parseExactNumber } from '../core/property-numbers.ts';
import { assertDepth, BadJson, parseExactJson, parseJsonDigits } from '../runtime/exact-json.ts';
import { parseJson } from '../runtime/parse-json.ts';

/** A number token that a float may not hold exactly: 16 or more characters of digits and point, or an exponent. */
const INEXACT_NUMBER = /[:,[\s]-?(?:[\d.]{16}|[\d.]+[eE])/;

/** Where a number in a body may stand: a float that is exact, or a Decimal. NaN: beyond what is stored exactly. */
export type BodyNumber = number | Decimal;

/**
 * The JSON of an event. Numbers are exact: floats where every number is short enough to be one, which is nearly
 * always and many times faster, else decimals made from their source text. Depth is for {@link parseExactJson} to check,
 * which is asked again wherever the shape turns out to be wrong.
 * @throws BadJson
 */
export function parseEventJson(text: string): unknown {
  return INEXACT_NUMBER.test(text) ? parseExactJson(text) : parseShortNumbers(text);
}

/**
 * As {@link parseEventJson}, with numbers that have to be rounded first, or told again as they were sent: floats where every number
 * is short enough to be one, else the NumberText that each is written as.
 * @throws BadJson, its TooDeep above 10 levels
 */
export function parseWithDigits(text: string): unknown {
  if (INEXACT_NUMBER.test(text)) return parseJsonDigits(text);
  assertDepth(text);
  return parseShortNumbers(text);
}

/** As {@link parseEventJson}. @throws BadJson also when it is not a JSON object. */
export function parseTrackBody(text: string): Record<string, unknown> {
  const value = parseEventJson(text);
  if (!isFields(value)) {
    throw new BadJson('The body must be a JSON object.');
  }
  return value;
}

/** Plain canonical digits of a number from {@link parseTrackBody}; undefined where it has more than is stored exactly. */
export function plainNumber(value: BodyNumber): string | undefined {
  if (typeof value !== 'number') return toPlain(value);
  const text = String(value);
  if (Number.isSafeInteger(value)) return text;
  if (/^-?[\d.]+$/.test(text)) return text;
  const exact = parseExactNumber(text);
  return exact === null ? undefined : toPlain(exact);
}

function parseShortNumbers(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw new BadJson('The body is not valid JSON.');
  }
}
