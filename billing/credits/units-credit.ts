import { type Decimal, min, roundHalfAwayFromZero, sum, ZERO } from '../../core/decimal.ts';
import { type ApplicableDiscount, percentShareLeft } from '../discounts/discounts.ts';
import type { NewInvoiceLine } from '../invoices/invoice.ts';
import type { CreditedPart } from '../periods/segments.ts';
import { type DowngradePart, downgradeCredits } from '../subscriptions/cancel.ts';
import { type CollectedFee, cameOf, lessDiscounts } from './charged-fee.ts';
import { creditedOfWaiting, type LineCredited } from './credited-waiting.ts';

/**
 * Units of a period: what invoices that are not void and lines that wait have charged for them, and what was credited since, without tax,
 * of these invoices or of others.
 */
export type ChargedUnits = {
  charged: readonly CollectedFee[];
  waiting: readonly NewInvoiceLine[];
  credited: readonly CreditedPart[];
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
  { charged, waiting, credited: creditedParts, discounts, rateOfNow, places }: ChargedUnits,
): { parts: DowngradePart[]; ofLines: LineCredited[] } {
  const credited = creditedOf(creditedParts, charged);
  const shareOf = (line: NewInvoiceLine) => percentShareLeft(discounts, line);
  const toCome = sum(waiting.map((line) => roundHalfAwayFromZero(line.amount.times(shareOf(line)), places)));
  const before = sum(waiting.map(({ creditedBefore = ZERO }) => creditedBefore));
  const unbilled = toCome.minus(before);
  // What was credited of invoices before is of their units, whatever else is left of them.
  const prorated = { pending: min(unbilled, ZERO), credited: credited.minus(before) };
  const of = { charged, prorated, unbilled: ZERO, rateOfNow, places };
  const most = sumOf(downgradeCredits(sumOf(charged), of));
  const ofCharged = min(wanted, withDiscounts(most, charged));
  const parts = downgradeCredits(roundHalfAwayFromZero(lessDiscounts(ofCharged, charged), places), of);
  const lessRest = roundHalfAwayFromZero(lessPercents(wanted.minus(ofCharged), waiting, shareOf), places);
  const came = sum(charged.map((one) => cameOf(one, places)));
  const left = { pending: came.plus(toCome).minus(sumOf(parts)), credited };
  const rest = downgradeCredits(lessRest, { charged: [], prorated: left, unbilled, rateOfNow, places });
  const { ofLines } = creditedOfWaiting(sumOf(rest), waiting, { shareOf, isAhead: true, places });
  return { parts: [...parts, ...rest], ofLines };
}

/** What was credited, but of invoices that are void since: what they charged and what went back of it are both undone. */
function creditedOf(parts: readonly CreditedPart[], charged: readonly CollectedFee[]): Decimal {
  const ids = new Set(charged.map(({ invoiceId }) => invoiceId));
  return sumOf(parts.filter(({ invoiceId }) => invoiceId === null || ids.has(invoiceId)));
}

function sumOf(parts: readonly { amount: Decimal }[]): Decimal {
  return sum(parts.map(({ amount }) => amount));
}

/** The price, before discounts, of what charges can give back, less those. */
function withDiscounts(most: Decimal, charged: readonly CollectedFee[]): Decimal {
  const net = sumOf(charged);
  const off = sum(charged.map(({ discount = ZERO }) => discount));
  return net.isZero() ? off : most.times(net.plus(off)).div(net);
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
