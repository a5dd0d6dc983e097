import { type Decimal, min, roundHalfAwayFromZero, sum, ZERO } from '../../core/decimal.ts';
import { type ApplicableDiscount, percentShareLeft } from '../discounts/discounts.ts';
import type { NewInvoiceLine } from '../invoices/invoice.ts';
import { type DowngradePart, downgradeCredits } from '../subscriptions/cancel.ts';
import { type CollectedFee, lessDiscounts } from './charged-fee.ts';
import { creditedOfWaiting, type LineCredited } from './credited-waiting.ts';

/** Units of a period: what invoices and lines that wait have charged for them, and what was credited since, without tax. */
export type ChargedUnits = {
  charged: readonly CollectedFee[];
  waiting: readonly NewInvoiceLine[];
  credited: Decimal;
  discounts: readonly ApplicableDiscount[];
  /** The tax of what is on no invoice yet, in percent. */
  rateOfNow: Decimal;
  places: number;
};

/** Of what invoices and lines that wait have charged for prepaid units (`isOf`), by type, metric, holders and the period's start. */
export function isOfUnits(
  { type, subscriptionId, metricId, periodStart }: NewInvoiceLine,
  of: { subscriptionIds: readonly string[]; metricId: string; startsAt: number },
): boolean {
  if (type !== 'prepaid_units' && type !== 'proration') return false;
  return metricId === of.metricId && periodStart === of.startsAt && of.subscriptionIds.includes(subscriptionId ?? '');
}

/**
 * The credits of fewer prepaid units, whose price is `wanted` (spec/prepaid-units#changes): of invoices first, less their discounts, then of lines that wait,
 * less the percentages of now; never more than was charged and has not gone back yet.
 */
export function creditOfFewerUnits(
  wanted: Decimal,
  { charged, waiting, credited, discounts, rateOfNow, places }: ChargedUnits,
): { parts: DowngradePart[]; ofLines: LineCredited[] } {
  const shareOf = (line: NewInvoiceLine) => percentShareLeft(discounts, line);
  const toCome = waiting.map((line) => roundHalfAwayFromZero(line.amount.times(shareOf(line)), places));
  const before = waiting.map(({ creditedBefore = ZERO }) => creditedBefore);
  const of = { charged, prorated: { pending: sum(toCome), credited }, rateOfNow, places };
  const unbilled = sum(toCome).minus(sum(before));
  const ofInvoices = downgradeCredits(roundHalfAwayFromZero(lessDiscounts(wanted, charged), places), {
    ...of,
    unbilled: ZERO,
  });
  const taken = sum(ofInvoices.map(({ amount }) => amount));
  const rest = restOf(wanted, taken, charged);
  const lessRest = roundHalfAwayFromZero(lessPercents(rest, waiting, shareOf), places);
  const parts = downgradeCredits(taken.plus(lessRest), { ...of, unbilled });
  const ofNone = sum(parts.filter(({ invoiceId }) => invoiceId === null).map(({ amount }) => amount));
  return { parts, ofLines: creditedOfWaiting(ofNone, waiting, { shareOf, isAhead: true, places }).ofLines };
}

/** What of `wanted` no invoice gives, of which `taken` is what they give less their discounts. */
function restOf(wanted: Decimal, taken: Decimal, charged: readonly CollectedFee[]): Decimal {
  const net = sum(charged.map(({ amount }) => amount));
  const off = sum(charged.map(({ discount = ZERO }) => discount));
  if (net.isZero()) return wanted.minus(min(wanted, off));
  return wanted.minus(taken.times(net.plus(off)).div(net));
}

/** `wanted` less the percentages that will be off the lines that have charged it, the latest first. */
function lessPercents(
  wanted: Decimal,
  waiting: readonly NewInvoiceLine[],
  shareOf: (line: NewInvoiceLine) => Decimal,
): Decimal {
  let left = wanted;
  const parts = waiting.toReversed().map((line) => {
    const share = shareOf(line);
    const { amount, creditedBefore = ZERO } = line;
    const own = min(left, share.isZero() ? amount : amount.minus(creditedBefore.div(share)));
    left = left.minus(own);
    return own.times(share);
  });
  return sum(parts);
}
