import { type Decimal, min, roundHalfAwayFromZero, sum, ZERO } from '../../core/decimal.ts';
import { conflict, invalid } from '../../core/domain-error.ts';
import { daysBetween, type Instant, type LocalDate, localDateAt, startOfLocalDay } from '../../core/instants.ts';
import { type ChargedFee, type CollectedFee, cameOf, lessDiscounts, withoutTax } from '../credits/charged-fee.ts';
import { dateIn, type Period } from '../periods/periods.ts';
import { billingPeriodOf } from '../periods/usage-months.ts';
import { isLive, nextSubscriptionStatus } from './states.ts';
import type { CancelTerms, PlannedCancel, Subscription } from './subscription.ts';

/** What a cancel asks: now, at the end of the period, on a date, or (null) no more. */
export type CancelRequest = CancelTerms & { cancelAt: 'immediately' | 'end_of_period' | LocalDate | null };

/** What becomes of it. */
export type CancelDecision = { kind: 'now' } | { kind: 'planned'; cancel: PlannedCancel } | { kind: 'withdrawn' };

/**
 * What a cancel does at `at` (spec/subscriptions#cancel).
 * @throws DomainError `conflict` for one that has ended, and for invoice_now while paused; `invalid` for a past date.
 */
export function decideCancel(
  subscription: Pick<Subscription, 'status' | 'currentPeriod'>,
  { cancelAt, ...terms }: CancelRequest,
  { at, timeZone }: { at: Instant; timeZone: string },
): CancelDecision {
  const { status } = subscription;
  const currentPeriod = billingPeriodOf(subscription.currentPeriod);
  const today = dateIn(currentPeriod, at);
  const isDate = cancelAt !== null && cancelAt !== 'immediately' && cancelAt !== 'end_of_period';
  if (isDate && cancelAt < today) throw invalid({ cancel_at: [`Must not be in the past; today is ${today}.`] });
  if (!isLive(status)) nextSubscriptionStatus(status, 'cancel');
  if (cancelAt === null) return { kind: 'withdrawn' };
  if (status === 'paused' && terms.invoicingBehavior === 'invoice_now') {
    throw conflict('The subscription is paused: it can only be canceled with add_to_next_invoice.');
  }
  if (cancelAt === 'end_of_period') return { kind: 'planned', cancel: { ...terms, at: currentPeriod.endsAt } };
  if (cancelAt === 'immediately' || cancelAt === today) return { kind: 'now' };
  return { kind: 'planned', cancel: { ...terms, at: planInstant(cancelAt, currentPeriod, timeZone) } };
}

/**
 * A date is its first instant, within the billing period in that period's zone and after it in that of now; the date on which the
 * billing period ends is its very end.
 */
export function planInstant(date: LocalDate, currentPeriod: Period, timeZone: string): Instant {
  const period = billingPeriodOf(currentPeriod);
  if (date === period.endDate) return period.endsAt;
  return startOfLocalDay(date, date < period.endDate ? period.timeZone : timeZone);
}

/** The date of what is planned for an instant: of {@link planInstant}. */
export function datePlanned(at: Instant, currentPeriod: Period, timeZone: string): LocalDate {
  const period = billingPeriodOf(currentPeriod);
  if (at === period.endsAt) return period.endDate;
  return at < period.endsAt ? dateIn(period, at) : localDateAt(at, timeZone);
}

/**
 * The end of a subscription within, or with, its period: `on` is its date, which counts as remaining. `givesCredit`: what it
 * gives back is never a refund, since the customer goes on.
 */
export type Ending = { at: Instant; on: LocalDate; givesCredit?: boolean } & Pick<
  CancelTerms,
  'flatFeeBehavior' | 'billUsage'
>;

/** The ending of a subscription canceled at `at`; one whose period is over already ends with it. */
export function endingAt(at: Instant, terms: CancelTerms, period: Period): Ending {
  const { flatFeeBehavior, billUsage } = terms;
  if (at >= period.endsAt) return { at: period.endsAt, on: period.endDate, flatFeeBehavior, billUsage };
  return { at, on: dateIn(period, at), flatFeeBehavior, billUsage };
}

/**
 * What of an invoice is given back: a part of its fee, and the tax charged on that at the original rate; to `payerId`, left out for who is
 * billed now.
 */
export type ProrationCredit = { invoiceId: string; amount: Decimal; tax: Decimal; payerId?: string };

/** What switches within the period have charged that waits for an invoice, and what they have credited; without tax. */
export type Prorated = { pending: Decimal; credited: Decimal };

/** The same of a fee, which discounts may be off. `cheaper`: what switches have taken off it before discounts; `credited`: what has gone back of that. */
type ProratedLess = { pending: Decimal; cheaper: Decimal; credited: Credited };

const NOTHING_PRORATED: ProratedLess = {
  pending: ZERO,
  cheaper: ZERO,
  credited: { whole: ZERO, ofPending: ZERO },
};

/** What switches have credited, without tax; `ofPending`: of what still waits for an invoice. */
export type Credited = { whole: Decimal; ofPending: Decimal };

/** A period paid in advance: the fee of now, and what invoices and switches have charged and credited for it. */
export type PaidPeriod = {
  period: Period;
  fee: Decimal;
  charged: readonly ChargedFee[];
  prorated?: ProratedLess;
  places: number;
};

/**
 * What a cancel under advance billing gives back (spec/subscriptions#cancel): charge_prorated fee * days remaining / days, charge_full
 * nothing, refund all that was charged; never more than was charged. What still waits for an invoice is waived first; the
 * rest, less its discount, is taken from the latest invoice first.
 */
export function prorationCredits(
  paid: PaidPeriod,
  ending: Pick<Ending, 'on' | 'flatFeeBehavior'>,
): { given: ProrationCredit[]; waived: Decimal } {
  const { period, fee, charged, prorated = NOTHING_PRORATED, places } = paid;
  const { pending, cheaper, credited } = prorated;
  const gross = charged.map(({ amount, discount = ZERO }) => amount.plus(discount));
  const whole = wholeCharged(gross, { pending, credited: cheaper });
  const remaining = fee.times(daysBetween(ending.on, period.endDate)).div(period.days);
  const wanted = { charge_prorated: roundHalfAwayFromZero(remaining, places), charge_full: ZERO, refund: whole };
  const back = min(wanted[ending.flatFeeBehavior], whole);
  const net = charged.map(({ amount }) => amount);
  const left = wholeCharged(net, { pending, credited: credited.whole });
  const waived = notBelowZero(min(back, min(pending.minus(credited.ofPending), left)));
  const less = roundHalfAwayFromZero(lessDiscounts(back.minus(waived), charged), places);
  return { given: creditsOf(min(less, left.minus(waived)), charged, places), waived };
}

function notBelowZero(amount: Decimal): Decimal {
  return amount.gt(0) ? amount : ZERO;
}

/** Gives `wanted` back of what was charged, the latest charge first: of each at most what has not gone back of its invoice yet. */
export function creditsOf(wanted: Decimal, charged: readonly ChargedFee[], places: number): ProrationCredit[] {
  let left = wanted;
  const given: ProrationCredit[] = [];
  for (const fee of charged.toReversed()) {
    const back = backOf(min(left, fee.amount), fee, places);
    if (!back.amount.gt(0)) continue;
    left = left.minus(back.amount);
    const { invoiceId, payerId } = fee;
    given.push({ invoiceId, ...(payerId !== undefined && { payerId }), ...back });
  }
  return given;
}

/** An amount with the tax it was charged with; where its invoice has less left, all of that. */
function backOf(amount: Decimal, { taxRate, left }: ChargedFee, places: number): { amount: Decimal; tax: Decimal } {
  const tax = roundHalfAwayFromZero(amount.times(taxRate).shiftedBy(-2), places);
  if (amount.plus(tax).lte(left)) return { amount, tax };
  const part = withoutTax(left, taxRate, places);
  return { amount: part, tax: left.minus(part) };
}

/** What a downgrade credits of an invoice, or (null) of what waits for one, `ofFee` of it of a fee to come; with the tax on it. */
export type DowngradePart = Omit<ProrationCredit, 'invoiceId'> & { invoiceId: string | null; ofFee?: Decimal };

/**
 * What a switch to a cheaper plan credits of `wanted`: never more than was charged for the period and has not gone back yet.
 * What an uncollectible invoice still says is due never came, and is not credited either. What waits for an invoice comes
 * last, with the tax of now: lines that wait, and in arrears the fee to come.
 */
export function downgradeCredits(
  wanted: Decimal,
  { charged, prorated, unbilled = prorated.pending, rateOfNow, places }: DowngradedPeriod,
): DowngradePart[] {
  const came = charged.map((fee) => ({ ...fee, amount: cameOf(fee, places) }));
  const amounts = came.map(({ amount }) => amount);
  const most = min(wanted, wholeCharged(amounts, prorated));
  if (!most.gt(0)) return [];
  const parts: DowngradePart[] = creditsOf(most, came, places);
  const rest = min(most.minus(sum(parts.map(({ amount }) => amount))), unbilled);
  if (rest.gt(0)) {
    parts.push({
      invoiceId: null,
      amount: rest,
      tax: roundHalfAwayFromZero(rest.times(rateOfNow).shiftedBy(-2), places),
    });
  }
  return parts;
}

/**
 * A period whose plan becomes cheaper, or whose units become fewer. `unbilled`: what no invoice has charged yet and is not
 * credited either.
 */
export type DowngradedPeriod = {
  charged: readonly CollectedFee[];
  prorated: Prorated;
  unbilled?: Decimal;
  rateOfNow: Decimal;
  places: number;
};

function wholeCharged(amounts: Decimal[], { pending, credited }: Prorated): Decimal {
  return sum([...amounts, pending, credited.negated()]);
}

/** How what is given back of an invoice reaches the customer: by the processor, at that invoice, and as credit for the next. */
export type ProrationCreditSplit = { refunded: Decimal; appliedAtOnce: Decimal; credited: Decimal };

/**
 * "A refund of the paid invoice where a processor took the money, else an overpayment credit, applied at once to that
 * invoice where it is still open" (spec/subscriptions#cancel). `refundable`: what its processor can still send back, 0 where none took the
 * money; `due`: what is still to be paid of it, also where it is uncollectible; 0 where that is settled or in flight.
 * `credited` is the credit's amount.
 */
export function splitProrationCredit(
  { amount, tax }: ProrationCredit,
  { refundable, due }: { refundable: Decimal; due: Decimal },
): ProrationCreditSplit {
  const total = amount.plus(tax);
  const refunded = min(total, refundable);
  const credited = total.minus(refunded);
  return { refunded, credited, appliedAtOnce: min(credited, due) };
}
