import { type Decimal, roundHalfAwayFromZero, sum, ZERO } from '../../core/decimal.ts';

/**
 * Splits `total` over `weights` so that the shares add up to it exactly (spec/reversals#shares). Each share is the rounded running
 * share up to and including that weight, less the running share before it. All shares are 0 if the weights sum to 0.
 */
export function cumulativeShares(total: Decimal, weights: readonly Decimal[], places: number): Decimal[] {
  const whole = sum(weights);
  if (whole.isZero()) return weights.map(() => ZERO);
  let running = ZERO;
  let shared = ZERO;
  return weights.map((weight) => {
    running = running.plus(weight);
    const upTo = roundHalfAwayFromZero(total.times(running).div(whole), places);
    const share = upTo.minus(shared);
    shared = upTo;
    return share;
  });
}
