import { type Decimal, min, roundHalfAwayFromZero, sum, ZERO } from '../../core/decimal.ts';
import type { DiscountTerms } from './facts.ts';
import type { LimitedLine } from './limit-lines.ts';
import { cumulativeShares } from './shares.ts';

/** What a discount takes off an invoice. */
export type Lowering = { discountId: string; amount: Decimal };

/**
 * Takes discounts off the lines of one invoice, in order of redemption (spec/discounts#lines). Each one takes of what those before it
 * left. `amountLeft` is what of an amount off the billing period still has. Returns the net amount of each line.
 */
export function discountLines(
  lines: readonly LimitedLine[],
  discounts: readonly DiscountTerms[],
  { amountLeft, places }: { amountLeft(discount: DiscountTerms): Decimal; places: number },
): { nets: Decimal[]; lowerings: Lowering[] } {
  let nets = lines.map(({ amount }) => amount);
  const lowerings: Lowering[] = [];
  for (const discount of discounts) {
    const weights = nets.map((net, i) => (fits(lines[i], discount) ? net : ZERO));
    const open = sum(weights);
    const off = open.gt(0) ? offOf(discount, { open, left: amountLeft(discount), places }) : ZERO;
    if (off.isZero()) continue;
    const shares = cumulativeShares(off, weights, places);
    nets = nets.map((net, i) => net.minus(shares[i] ?? ZERO));
    lowerings.push({ discountId: discount.discountId, amount: off });
  }
  return { nets, lowerings };
}

function offOf(
  { percentOff }: DiscountTerms,
  { open, left, places }: { open: Decimal; left: Decimal; places: number },
): Decimal {
  if (percentOff === null) return min(open, left);
  return roundHalfAwayFromZero(open.times(percentOff).shiftedBy(-2), places);
}

/** Whether a line is the discount's subscription's, and on every list of `applies_to`. */
function fits(limited: LimitedLine | undefined, { subscriptionIds, appliesTo }: DiscountTerms): boolean {
  if (!limited?.line.subscriptionId || !subscriptionIds.includes(limited.line.subscriptionId)) return false;
  const { line } = limited;
  const { planIds = null, metricIds = null, lineTypes = null } = appliesTo ?? {};
  const isIn = (list: readonly string[] | null, value: string | null) => list === null || list.includes(value ?? '');
  return isIn(planIds, line.planId) && isIn(metricIds, line.metricId) && isIn(lineTypes, line.type);
}
