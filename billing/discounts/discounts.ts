import { type Decimal, min, roundHalfAwayFromZero, sum, ZERO } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import type { InvoiceKind, InvoiceSection, NewInvoiceLine } from '../invoices/invoice.ts';
import { emptyLine } from '../invoices/invoice-lines.ts';
import type { DiscountBasis, LateBasis, TrueUpBasis } from '../invoices/line-basis.ts';
import { groupDigits } from '../invoices/line-descriptions.ts';
import type { AppliesTo, Off } from './coupons.ts';

/**
 * A coupon that a subscription has redeemed (spec/discounts#redemption). `holders`: the subscriptions that have had it, the last of
 * which is its own. `periodsRemaining` null: for ever.
 */
export type Discount = {
  discountId: string;
  couponId: string;
  subscriptionId: string;
  customerId: string;
  status: 'active' | 'ended' | 'removed';
  periodsUsed: number;
  periodsRemaining: number | null;
  createdAt: Instant;
};

/** A discount with its terms, as it lowers invoices. */
export type ApplicableDiscount = Pick<Discount, 'discountId' | 'subscriptionId' | 'periodsRemaining'> &
  Off & { name: string; holders: readonly string[]; appliesTo: AppliesTo | null };

/** Of which invoice lines are lowered: `places` are the currency's decimals. */
type Discounted = {
  kind: InvoiceKind;
  currency: string;
  places: number;
  periodStart: Instant | null;
  periodEnd: Instant | null;
};

/** Lines with what is taken of each, the discount lines, and the discounts that have lowered the invoice. */
export type DiscountedLines = { charged: NewInvoiceLine[]; discounts: NewInvoiceLine[]; used: string[] };

/**
 * What discounts take off an invoice whose lines are rounded, in their order (spec/discounts#lines): each of what is left of the lines
 * that fit it, an amount but for what was credited of them before. On a proration invoice only percentages do.
 */
export function applyDiscounts(
  lines: readonly NewInvoiceLine[],
  discounts: readonly ApplicableDiscount[],
  { kind, currency, places, periodStart, periodEnd }: Discounted,
): DiscountedLines {
  let charged = [...lines];
  const made: NewInvoiceLine[] = [];
  const subscriptions = new Set(lines.map((line) => line.subscriptionId));
  for (const [i, discount] of discounts.entries()) {
    const { discountId, subscriptionId, percentOff, amountOff, periodsRemaining } = discount;
    // A customer's thousand subscriptions have discounts of their own: most of them fit no line.
    if (!discount.holders.some((id) => subscriptions.has(id))) continue;
    if (periodsRemaining === 0 || (kind === 'proration' && percentOff === null)) continue;
    if (discount.currency !== null && discount.currency !== currency) continue;
    const behind = discounts.slice(i + 1);
    const isMeant = charged.map((line) => fits(line, discount));
    const credits = charged.map((line) => (amountOff === null ? ZERO : keptOf(line, discount, behind)));
    // What is charged again of a credit is left no longer, where that was left of this invoice; of an earlier one it takes no part.
    const kept = sum(credits).lt(0) ? credits.map(() => ZERO) : credits;
    const open = charged.map((line, n) => openOf(line, discount).minus(kept[n] ?? ZERO));
    const left = roundHalfAwayFromZero(sum(open), places);
    const off = left.gt(0) ? amountOf(discount, left, places) : ZERO;
    if (off.isZero()) continue;
    const credited = sum([...open, ...kept]).minus(left);
    const basis = { of: 'discount', discountId, amount: left, percentOff, amountOff } as const;
    charged = shared(charged, { isMeant, open }, { off, places });
    made.push({
      ...emptyLine('discount', describe(discount)),
      ...{ subscriptionId, periodStart, periodEnd },
      amount: off.negated(),
      basis: credited.isZero() ? basis : { ...basis, credited },
    });
  }
  const used = made.flatMap(({ basis }) => (basis?.of === 'discount' ? [basis.discountId] : []));
  return { charged, discounts: made, used };
}

/** The discounts behind an invoice that these have lowered; a proration does not count (spec/discounts#periods). */
export function discountsAfter(
  discounts: readonly ApplicableDiscount[],
  { kind, used }: { kind: InvoiceKind; used: readonly string[] },
): ApplicableDiscount[] {
  if (used.length === 0 || !countsPeriods(kind)) return [...discounts];
  return discounts.map((discount) => {
    const { discountId, periodsRemaining } = discount;
    if (periodsRemaining === null || !used.includes(discountId)) return discount;
    return { ...discount, periodsRemaining: periodsRemaining - 1 };
  });
}

/** Whether an invoice of a kind, lowered by a discount, is one of its periods. */
export function countsPeriods(kind: InvoiceKind): boolean {
  return kind === 'opening' || kind === 'period' || kind === 'closing';
}

/** An issued invoice, whose lines say whose they are where that is not its customer, and its sections. */
type Issued = {
  kind: InvoiceKind;
  customerId: string;
  lines: readonly (Pick<NewInvoiceLine, 'subscriptionId' | 'periodStart' | 'periodEnd'> & {
    customerId?: string;
    basis?: Pick<TrueUpBasis | LateBasis, 'of'> | Pick<DiscountBasis, 'of' | 'discountId'>;
  })[];
  sections: readonly InvoiceSection[];
};

/** The discounts of which an issued invoice is a period; of a consolidated one those of its sections that are one. */
export function discountsCounted(invoice: Issued): string[] {
  return invoice.lines.flatMap((line) => {
    const { basis } = line;
    return basis?.of === 'discount' && kindsOf(line, invoice).some(countsPeriods) ? [basis.discountId] : [];
  });
}

/** Of the section that a discount line is on: its subscription's, else, where a switch has taken the discount along since, its customer's for the same period. */
function kindsOf(line: Issued['lines'][number], { kind, customerId, sections }: Issued): InvoiceKind[] {
  if (sections.length === 0) return [kind];
  const ofPeriod = sections.filter(
    (one) =>
      one.customerId === (line.customerId ?? customerId) &&
      one.periodStart === line.periodStart &&
      one.periodEnd === line.periodEnd,
  );
  const own = ofPeriod.filter(({ subscriptionId }) => subscriptionId === line.subscriptionId);
  return (own.length > 0 ? own : ofPeriod).map((one) => one.kind);
}

/** What is left of a fee of a plan once percentages are off: 0.85 with 15 % off (spec/discounts#given-back). */
export function feeShareLeft(
  discounts: readonly ApplicableDiscount[],
  { subscriptionId, planId }: { subscriptionId: string; planId: string },
): Decimal {
  return shareLeft(
    discounts.filter(({ holders, percentOff, periodsRemaining, appliesTo }) => {
      if (!holders.includes(subscriptionId)) return false;
      const { planIds, metricIds, lineTypes } = appliesTo ?? { planIds: null, metricIds: null, lineTypes: null };
      const isForFee = metricIds === null && (lineTypes?.includes('recurring_fee') ?? true);
      return percentOff !== null && periodsRemaining !== 0 && isForFee && (planIds?.includes(planId) ?? true);
    }),
  );
}

/** What percentages will leave of a line that waits for an invoice. */
export function percentShareLeft(discounts: readonly ApplicableDiscount[], line: NewInvoiceLine): Decimal {
  return shareLeft(
    discounts.filter((one) => one.percentOff !== null && one.periodsRemaining !== 0 && isFor(line, one)),
  );
}

/** What percentages leave, one after another. */
function shareLeft(discounts: readonly ApplicableDiscount[]): Decimal {
  return discounts.reduce((share, { percentOff }) => share.times(ONE.minus((percentOff ?? ZERO).shiftedBy(-2))), ONE);
}

const ONE = ZERO.plus(1);

/** Whether a line takes part; what gives back of an earlier charge, or charges that again, is less its discount already. */
function fits(line: NewInvoiceLine, of: ApplicableDiscount): boolean {
  return line.givenBackOf === undefined && line.reverses === undefined && !line.isChargedAgain && isFor(line, of);
}

/**
 * What an amount leaves of a line: so much that percentages behind it leave what was credited of the line before it was on an invoice
 * (spec/discounts#given-back). Below 0 of a line that charges such a credit again.
 */
function keptOf(line: NewInvoiceLine, of: ApplicableDiscount, behind: readonly ApplicableDiscount[]): Decimal {
  const { creditedBefore } = line;
  if (creditedBefore === undefined || !isFor(line, of)) return ZERO;
  const share = percentShareLeft(behind, line);
  return share.isZero() ? ZERO : creditedBefore.div(share);
}

/** Whether a line is the subscription's, and fits every list. */
function isFor({ type, subscriptionId, planId, metricId }: NewInvoiceLine, of: ApplicableDiscount): boolean {
  if (type === 'discount' || type === 'credit') return false;
  if (subscriptionId === null || !of.holders.includes(subscriptionId)) return false;
  const { planIds, metricIds, lineTypes } = of.appliesTo ?? { planIds: null, metricIds: null, lineTypes: null };
  const isIn = (list: readonly string[] | null, value: string | null) => list === null || list.includes(value ?? '');
  return isIn(planIds, planId) && isIn(metricIds, metricId) && isIn(lineTypes, type);
}

/**
 * What discounts before have left for this one of a line. One that takes no part has nothing to leave, but what they have taken for it: for
 * what it charges again of a credit, which the charge that was credited leaves no longer.
 */
function openOf(line: NewInvoiceLine, of: ApplicableDiscount): Decimal {
  const taken = line.discountAmount ?? ZERO;
  if (fits(line, of)) return line.amount.minus(taken);
  return isFor(line, of) ? taken.negated() : ZERO;
}

function amountOf({ percentOff, amountOff }: Off, left: Decimal, places: number): Decimal {
  if (percentOff === null) return min(left, amountOff);
  return roundHalfAwayFromZero(left.times(percentOff).shiftedBy(-2), places);
}

/** What is taken off, shared by what is `open` of each line, so that the shares add up: running sums are rounded. */
function shared(
  lines: readonly NewInvoiceLine[],
  { isMeant, open }: { isMeant: readonly boolean[]; open: readonly Decimal[] },
  { off, places }: { off: Decimal; places: number },
): NewInvoiceLine[] {
  const whole = sum(open);
  let [running, taken] = [ZERO, ZERO];
  return lines.map((line, i) => {
    const own = open[i] ?? ZERO;
    if (own.isZero() && !isMeant[i]) return line;
    running = running.plus(own);
    const share = roundHalfAwayFromZero(off.times(running).div(whole), places).minus(taken);
    taken = taken.plus(share);
    return { ...line, discountAmount: share.plus(line.discountAmount ?? ZERO) };
  });
}

/** `Launch offer: 15 % off`, `Launch offer: 20 off`. */
function describe({ name, percentOff, amountOff }: ApplicableDiscount): string {
  return percentOff === null ? `${name}: ${groupDigits(amountOff)} off` : `${name}: ${groupDigits(percentOff)} % off`;
}
