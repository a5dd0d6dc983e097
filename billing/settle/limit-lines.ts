import { type Decimal, min, sum, ZERO } from '../../core/decimal.ts';
import { trueUpLine } from '../invoices/invoice-lines.ts';
import { minimumKey } from './charge-keys.ts';
import type { CostLine } from './cost.ts';
import type { LimitFacts, PeriodFacts } from './facts.ts';
import { cumulativeShares } from './shares.ts';
import { countsFor, type InvoiceTerms } from './terms.ts';

/** A line of an invoice with its amount before discounts, after the maximums that cut it. */
export type LimitedLine = Pick<CostLine, 'key' | 'periodId' | 'windowId' | 'line'> & { amount: Decimal };

/** A cut of a maximum, as its invoice shows it: a true-up line below zero. */
export type MaximumCut = { limit: LimitFacts; periodId: string; amount: Decimal };

/** What an invoice counted toward one limit. */
type Counted = { invoice: InvoiceTerms; amount: Decimal };

/** What earlier invoices have counted toward each limit of each period. */
export type LimitCarry = Map<string, Counted[]>;

/**
 * Applies the limits of a period to the lines of one invoice (spec/reversals#limits). A maximum cuts the lines that pass it, shared
 * by their amounts. A minimum is a line of its own on the invoice that lists its key. Adds what was counted to `carry`.
 */
export function limitLines(
  lines: readonly LimitedLine[],
  { invoice, facts, carry, places }: { invoice: InvoiceTerms; facts: PeriodFacts; carry: LimitCarry; places: number },
): { lines: LimitedLine[]; cuts: MaximumCut[] } {
  const { periodId, isClosed } = facts;
  const isCuttable = invoice.kind !== 'proration' || isClosed;
  const cuts: MaximumCut[] = [];
  let limited = [...lines];
  for (const limit of facts.limits) {
    const key = minimumKey(periodId, limit);
    const earlier = carry.get(key) ?? [];
    const isCounted = limited.map((line) => line.periodId === periodId && isLimitedBy(line, limit));
    const amount = sum(limited.filter((_, i) => isCounted[i]).map((line) => line.amount));
    const counted = amount.plus(sum(earlier.map((one) => one.amount)));
    const topUp = invoice.keys.includes(key) ? missing(limit, counted) : ZERO;
    const before = sum(earlier.filter((one) => countsFor(one.invoice, invoice)).map((one) => one.amount));
    // Where a minimum is missing, nothing passes the maximum: the two never act together.
    const cut = isCuttable ? excess(limit, { amount, before }) : ZERO;
    const weights = limited.map((line, i) => (isCounted[i] ? line.amount : ZERO));
    const shares = cumulativeShares(cut, weights, places);
    limited = limited.map((line, i) => ({ ...line, amount: line.amount.minus(shares[i] ?? ZERO) }));
    if (cut.gt(0)) cuts.push({ limit, periodId, amount: cut });
    if (invoice.keys.includes(key)) limited.push(minimumLine(limit, { key, facts, counted, amount: topUp }));
    carry.set(key, [...earlier, { invoice, amount: amount.plus(topUp).minus(cut) }]);
  }
  return { lines: limited, cuts };
}

/** A component's limits count its prepaid units and usage in a window, a plan's everything but add-ons. */
function isLimitedBy(line: LimitedLine, { metricId, windowId }: LimitFacts): boolean {
  if (line.line.type === 'addon') return false;
  return metricId === null || (line.line.metricId === metricId && line.windowId === windowId);
}

/** What is missing to the minimum. Where the limits cross, the maximum holds. */
function missing({ limits: { minimumAmount, maximumAmount } }: LimitFacts, counted: Decimal): Decimal {
  if (minimumAmount === null) return ZERO;
  const least = maximumAmount === null ? minimumAmount : min(minimumAmount, maximumAmount);
  return least.gt(counted) ? least.minus(counted) : ZERO;
}

/** What passes the maximum, at most what this invoice has. */
function excess({ limits: { maximumAmount } }: LimitFacts, { amount, before }: { amount: Decimal; before: Decimal }) {
  if (maximumAmount === null) return ZERO;
  const room = maximumAmount.gt(before) ? maximumAmount.minus(before) : ZERO;
  return amount.gt(room) ? amount.minus(room) : ZERO;
}

function minimumLine(
  limit: LimitFacts,
  { key, facts, counted, amount }: { key: string; facts: PeriodFacts; counted: Decimal; amount: Decimal },
): LimitedLine {
  const { subscriptionId, planId, version, metricId, windowId, name, limits } = limit;
  const origin = { subscriptionId, planId, version, periodStart: facts.startsAt, periodEnd: facts.endsAt };
  const charge = { ...origin, metricId, name, charged: counted, truedUp: ZERO, limits, isLate: false };
  return { key, periodId: facts.periodId, windowId, line: trueUpLine(charge), amount };
}
