import { currencyOf } from '../../core/currencies.ts';
import { type Decimal, roundHalfAwayFromZero, sum, ZERO } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import type { BoundaryInput } from '../invoices/boundary-charges.ts';
import { isChargedAhead } from '../invoices/charged-ahead.ts';
import type { IssuedInvoice, NewInvoiceLine } from '../invoices/invoice.ts';
import { emptyLine } from '../invoices/invoice-lines.ts';
import type { PendingItems } from '../invoices/pending-items.ts';
import { type CreditedPart, holdersOf, type SegmentedPeriod, switchesIn } from '../periods/segments.ts';
import { billingPeriodOf } from '../periods/usage-months.ts';
import {
  type Credited,
  type DowngradePart,
  downgradeCredits,
  type Ending,
  type ProrationCredit,
  prorationCredits,
  splitProrationCredit,
} from '../subscriptions/cancel.ts';
import type { Customer, Subscription } from '../subscriptions/subscription.ts';
import { lessBySwitch, lessBySwitches, type SwitchParties } from '../subscriptions/switch.ts';
import type { CollectedFee } from './charged-fee.ts';
import { creditedOfWaiting, type LineCredited } from './credited-waiting.ts';
import { plannedCredit } from './credits.ts';
import type { PlannedCredit } from './planned-credits.ts';
import { type CreditedBack, type Refund, refundableAmount } from './refunds.ts';

/** The end of a period that was paid ahead. */
export type PaidEnd = { customer: Customer; subscription: Subscription; boundary: BoundaryInput; ending: Ending };

/** What has been charged for a period: by invoices that are not void, oldest first, and by lines that wait for one. */
export type ChargedAhead = { charged: readonly CollectedFee[]; pending: readonly NewInvoiceLine[] };

/** What an end gives back: parts of invoices, and a line that takes back what still waits for one (null: nothing does). */
export type ProrationCredits = { given: ProrationCredit[]; waived: NewInvoiceLine | null };

/** What was charged ahead for the period that a cancel or a switch ends, also by switches within it (spec/subscriptions#switch). */
export function prorationCreditsAt(end: PaidEnd, { charged, pending }: ChargedAhead): ProrationCredits {
  const { customer, subscription, ending } = end;
  const { plan, ended } = end.boundary;
  if (ended === null || ended.trial || !isChargedAhead(end.boundary)) return { given: [], waived: null };
  const period = billingPeriodOf(ended);
  const { subscriptionId } = subscription;
  const places = currencyOf(customer.currency).exponent;
  const lessPercents = lessShare(charged[0]?.feeShare ?? ONE, places);
  const prorated = {
    pending: pendingIn(period, pending),
    cheaper: lessBySwitches(period, places),
    credited: creditedIn(period, { charged, pending, places, lessPercents }),
  };
  const { given, waived } = prorationCredits({ period, fee: plan.recurringFee, charged, prorated, places }, ending);
  if (waived.isZero()) return { given, waived: null };
  const { planId, version } = plan;
  const back = {
    ...emptyLine('proration', `${plan.name}: switch charge not used`),
    ...{ subscriptionId, planId, version, periodStart: ending.at, periodEnd: period.endsAt },
    amount: waived.negated(),
  };
  return { given, waived: back };
}

/** What switches have charged for a period that waits for an invoice. */
function pendingIn(period: SegmentedPeriod, pending: readonly NewInvoiceLine[]): Decimal {
  return sum(waitingIn(period, pending).map(amountOf));
}

function waitingIn(
  { segments, billing: { endsAt } }: SegmentedPeriod,
  pending: readonly NewInvoiceLine[],
): NewInvoiceLine[] {
  const holders = holdersOf(segments);
  return pending.filter(
    ({ type, metricId, subscriptionId, periodEnd }) =>
      type === 'proration' && metricId === null && periodEnd === endsAt && holders.includes(subscriptionId ?? ''),
  );
}

/**
 * What switches have credited for a period, but of invoices that are void since; `ofPending`: of lines that wait, and where it is to come of
 * the fee. A switch of an earlier release has not kept of which, or not even what: then by `lessPercents` of what it has made the period cheaper by.
 */
function creditedIn(
  period: SegmentedPeriod,
  { charged, pending, places, lessPercents, isFeeToCome = false }: ChargedAhead & CreditedOf,
): Credited {
  const parts = switchesIn(period.segments).flatMap((one) => {
    const { invoiceId = null } = charged[0] ?? {};
    return one.credited ?? [{ invoiceId, amount: lessPercents(lessBySwitch(one, period.days, places)) }];
  });
  const counted = parts.filter(
    ({ invoiceId }) => invoiceId === null || charged.some((one) => one.invoiceId === invoiceId),
  );
  const ofFee = counted.flatMap(({ invoiceId, amount, ofFee: own }: CreditedPart) => {
    if (invoiceId !== null) return [];
    return own === undefined ? [amount] : isFeeToCome ? [own] : [];
  });
  const ofLines = waitingIn(period, pending).map(({ creditedBefore = ZERO }) => creditedBefore);
  return { whole: sum(counted.map(amountOf)), ofPending: sum([...ofFee, ...ofLines]) };
}

type CreditedOf = { places: number; lessPercents: LessPercents; isFeeToCome?: boolean };
type LessPercents = (amount: Decimal) => Decimal;

function amountOf({ amount }: { amount: Decimal }): Decimal {
  return amount;
}

/**
 * What a downgrade credits, a credit for each invoice that has charged it; none where nothing is left to credit. `ofLines`: of lines that
 * wait, in the part that is of no invoice.
 */
export type DowngradeCredit = { parts: DowngradePart[]; description: string; ofLines: LineCredited[] };

/**
 * The credit of a downgrade: the difference `wanted`, with the tax that is charged on the fee, at the rate of the invoice
 * that has charged it, else at that of now (spec/subscriptions#switch), less the percentages that are off fees (spec/discounts#given-back):
 * in advance those of the invoice that charged it, in arrears and of what was on none yet `feeShare` of now. Never more than has not gone back
 * yet of what was charged, in arrears by upgrades, and of the fee that is still to come.
 */
export function creditOfDowngrade(
  { currency, taxRate: rateOfNow }: Pick<Customer, 'currency' | 'taxRate'>,
  { oldPlan, nextPlan, pendingOpening }: SwitchParties,
  wanted: Decimal,
  { charged, pending, period, feeShare }: ChargedAhead & { period: SegmentedPeriod; feeShare: Decimal },
): DowngradeCredit {
  const description = `Switch from ${oldPlan.name} to ${nextPlan.name}`;
  const places = currencyOf(currency).exponent;
  const isAhead = isChargedAhead({ plan: oldPlan, pendingOpening });
  const lessPercents = lessShare(isAhead ? (charged[0]?.feeShare ?? feeShare) : feeShare, places);
  const credited = creditedIn(period, { charged, pending, places, lessPercents, isFeeToCome: !isAhead });
  // In arrears the fee of the plan that the period began with is still to come, and may be credited before it is charged.
  const fee = isAhead ? ZERO : (period.segments[0]?.plan ?? oldPlan).recurringFee;
  const toCome = lessShare(feeShare, places)(pendingIn(period, pending).plus(fee));
  const prorated = { pending: toCome, credited: credited.whole };
  const unbilled = toCome.minus(credited.ofPending);
  const of = { charged: byInvoice(charged), prorated, unbilled, rateOfNow, places };
  const parts = downgradeCredits(lessPercents(wanted), of);
  const ofNone = sum(parts.filter(({ invoiceId }) => invoiceId === null).map(amountOf));
  const { ofLines, ofFee } = creditedOfWaiting(ofNone, waitingIn(period, pending), {
    shareOf: () => feeShare,
    isAhead,
    places,
  });
  const named = parts.map((part) => (part.invoiceId === null ? { ...part, ofFee } : part));
  return { parts: named, description, ofLines };
}

const ONE = ZERO.plus(1);

function lessShare(share: Decimal, places: number): LessPercents {
  return (amount) => roundHalfAwayFromZero(amount.times(share), places);
}

/** Charges of one invoice as one: what is left of it is left once. */
function byInvoice(charged: readonly CollectedFee[]): CollectedFee[] {
  return [...Map.groupBy(charged, ({ invoiceId }) => invoiceId).values()].flatMap(([first, ...others]) => {
    return first ? [{ ...first, amount: sum([first, ...others].map(({ amount }) => amount)) }] : [];
  });
}

/** An invoice with what has been sent back of it and given back as credits, and whether a payment of it is in flight. */
export type InvoiceAtHand = {
  invoice: IssuedInvoice;
  refunds: readonly Pick<Refund, 'amount' | 'status'>[];
  creditedBack: CreditedBack;
  isInFlight: boolean;
};

/** How much of an invoice its processor is to send back at most, and how much a credit can still pay of it. */
export function openEndsOf(
  { invoice, refunds, creditedBack, isInFlight }: InvoiceAtHand,
  { givesCredit = false }: Pick<Ending, 'givesCredit'>,
): { refundable: Decimal; due: Decimal } {
  const byHand = givesCredit || invoice.payments.every(({ method }) => method === 'manual');
  return {
    refundable: byHand ? ZERO : refundableAmount(invoice, refunds, creditedBack),
    // While a payment of it is in flight, what is due stays what was asked for; the credit is for the next invoice.
    due: isOwed(invoice) && !isInFlight ? invoice.amountDue : ZERO,
  };
}

/** What was given up is still owed: no credit is left of money that never came. */
function isOwed({ status }: IssuedInvoice): boolean {
  return status === 'open' || status === 'uncollectible';
}

/** What a customer's invoices have charged ahead, and what waits for the next one. */
export type PaidAhead = {
  /** Who is billed now: the customer, or the one that pays for it. */
  payer: Pick<Customer, 'customerId' | 'taxRate'>;
  pending: Pick<PendingItems, 'lines'>;
  /** For the current period of a subscription that is to end in it, or to be switched. */
  chargedFeesOf(subscriptionId: string): readonly CollectedFee[];
  /** An invoice that `chargedFeesOf` names; null for one that is still to be made, for whose id something stands. */
  invoiceAtHand(invoiceId: string): InvoiceAtHand | null;
};

/** What an end will leave for its invoice: credits, and a line that takes back what waited. */
export type PlannedProration = { credits: PlannedCredit[]; waived: NewInvoiceLine | null };

/** Whether what is given back is a credit of who is billed now (spec/customers#one-payer). */
export function isGivenTo({ payerId }: Pick<DowngradePart, 'payerId'>, payer: Pick<Customer, 'customerId'>): boolean {
  return payerId === undefined || payerId === payer.customerId;
}

/** What the end of a period will give back, as far as it is left to the payer as credit when its invoice is made, at `dueAt`. */
export function plannedProration(end: PaidEnd, ahead: PaidAhead, dueAt: Instant): PlannedProration {
  const { subscriptionId } = end.subscription;
  const charged = ahead.chargedFeesOf(subscriptionId);
  const { given, waived } = prorationCreditsAt(end, { charged, pending: ahead.pending.lines });
  const { currency } = end.customer;
  const credits = given.flatMap((one, i): PlannedCredit[] => {
    if (!isGivenTo(one, ahead.payer)) return [];
    const { invoiceId } = one;
    const atHand = ahead.invoiceAtHand(invoiceId);
    const amount = atHand === null ? one.amount.plus(one.tax) : leftOfCredit(one, openEndsOf(atHand, end.ending));
    if (!amount.gt(0)) return [];
    const of = { amount, currency, description: prorationCreditText(atHand?.invoice ?? null), at: dueAt };
    const credit = plannedCredit(`${subscriptionId}/${placeOf(i)}`, of);
    return [atHand === null ? { ...credit, paysFirst: invoiceId } : credit];
  });
  return { credits, waived };
}

/** Credits of one instant are applied in the order in which they are made, which is that of their ids. */
export function placeOf(index: number): string {
  return String(index).padStart(6, '0');
}

/** What of a credit its own invoice leaves for others. */
function leftOfCredit(given: ProrationCredit, openEnds: { refundable: Decimal; due: Decimal }): Decimal {
  const { credited, appliedAtOnce } = splitProrationCredit(given, openEnds);
  return credited.minus(appliedAtOnce);
}

/** What a credit that gives back a part of an invoice says of itself; null for one that has no number yet. */
export function prorationCreditText(invoice: IssuedInvoice | null): string {
  return `Part of the fee of ${invoice === null ? 'an invoice to come' : `invoice ${invoice.invoiceNumber}`}`;
}
