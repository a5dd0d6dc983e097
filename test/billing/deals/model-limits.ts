import { BigNumber } from 'bignumber.js';
import type { DealLimits, DealPlan } from './deal.ts';
import type { Days, Ending, Life } from './model-life.ts';
import { type Amount, exact, rounded, sum } from './model-lines.ts';

/** Minimums of all plans, for the days in force; the maximum of the last. */
export function limits(
  life: Life,
  span: Days,
  day: number,
  ending: Ending,
  of: (plan: DealPlan) => DealLimits | undefined,
) {
  const { parts } = life;
  const shares = parts.flatMap(({ plan }, i) => {
    const minimum = of(plan)?.minimum ?? null;
    return minimum === null ? [] : [exact(minimum).times(daysOf(life, i, span, day, ending))];
  });
  const last = parts.findLast(({ plan }) => of(plan));
  const minimum = shares.length > 0 && ending !== 'refund' ? rounded(life.deal, sum(shares).div(span.whole)) : null;
  const maximum = last && of(last.plan)?.maximum;
  return { minimum, maximum: maximum ? exact(maximum) : null };
}

/** What is missing to the minimum, or below nought too much for the maximum. */
export function missing(
  amount: Amount,
  { minimum, maximum }: { minimum: Amount | null; maximum: Amount | null },
): Amount {
  return BigNumber.min(BigNumber.max(amount, minimum ?? amount), maximum ?? Infinity).minus(amount);
}

/** The days for which a part of a billing period is billed: those of `span` up to `day` that were not paused. */
export function daysOf({ parts, deal, first }: Life, i: number, span: Days, day: number, ending: Ending): number {
  const from = Math.max(parts[i]?.day ?? 0, span.from);
  const to = Math.min(parts[i + 1]?.day ?? Infinity, ending === 'charge_full' ? span.to : day);
  if (ending === 'refund' || to <= from) return 0;
  if (ending === 'charge_full') return to - from;
  const paused = deal.pauses.map((one) => Math.min(first + one.to, to) - Math.max(first + one.from, from));
  return paused.reduce((days, one) => days - Math.max(0, one), to - from);
}
