import { wholePart } from '../../core/decimal.ts';
import { type Instant, instantFromIso } from '../../core/instants.ts';
import { parseRoundedNumber } from '../../core/property-numbers.ts';

/** The last instant whose date-time has a year of four digits. */
const END_OF_YEARS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** The instant of a date-time, which is UTC where it names no zone; null for anything else. */
export function instantOfDateTime(text: string): Instant | null {
  return instantFromIso(text) ?? instantFromIso(`${text}Z`);
}

/**
 * The instant of Unix seconds, a JSON number as text; what is finer than a millisecond is cut off. Null for anything else, and after
 * the year 9999: that is what milliseconds would be taken for.
 */
export function instantOfUnixSeconds(text: string): Instant | null {
  const seconds = parseRoundedNumber(text);
  if (seconds === null || seconds.isNegative()) return null;
  const instant = wholePart(seconds.times(1_000)).toNumber();
  return instant <= END_OF_YEARS ? instant : null;
}
