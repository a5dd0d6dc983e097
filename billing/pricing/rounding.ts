import { type Decimal, roundHalfAwayFromZero } from '../../core/decimal.ts';

export type Rounding = 'round_down' | 'round_up' | 'round_nearest' | 'no_rounding';

/**
 * A component's rounding of its quantity to whole units (spec/rating#rounding);
 * nearest is half away from zero, down and up are towards lower and higher numbers (spec/rating#rounding).
 */
export function roundQuantity(quantity: Decimal, rounding: Rounding): Decimal {
  if (rounding === 'no_rounding') return quantity;
  const nearest = roundHalfAwayFromZero(quantity, 0);
  if (rounding === 'round_down' && nearest.gt(quantity)) return nearest.minus(1);
  if (rounding === 'round_up' && nearest.lt(quantity)) return nearest.plus(1);
  return nearest;
}
