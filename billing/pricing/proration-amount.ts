import type { Decimal } from '../../core/decimal.ts';
import type { ProrationCharge } from './charges.ts';

/** The exact amount of a proration: its share of the difference, or what of that is left to take back. */
export function prorationAmount({ amount, difference, billedDays, days }: ProrationCharge): Decimal {
  return amount ?? difference.times(billedDays).div(days);
}
