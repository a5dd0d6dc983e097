import { type Decimal, min, ZERO } from '../../core/decimal.ts';

/** What is used, and what is left, of the units prepaid for the current period (spec/prepaid-units#changes). */
export type PrepaidBalance = { metricId: string; units: Decimal; used: Decimal; remaining: Decimal };

/**
 * The balance after a usage of `value`: units are used up by it, never more than there are (what goes beyond is billed at
 * the period's end), and a negative sum uses none. So `used` and `remaining` always add up to `units`.
 */
export function prepaidBalance(metricId: string, units: Decimal, value: Decimal): PrepaidBalance {
  const positive = value.gt(0) ? value : ZERO;
  const used = min(positive, units);
  return { metricId, units, used, remaining: units.minus(used) };
}
