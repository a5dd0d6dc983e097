import { currencyOf } from '../../core/currencies.ts';
import { type Decimal, roundHalfAwayFromZero, sum, ZERO } from '../../core/decimal.ts';
import type { Instant, LocalDate } from '../../core/instants.ts';
import {
  type ApplicableCredit,
  applyCredits,
  type CreditApplication,
  creditsAfter,
  plannedCredit,
} from '../credits/credits.ts';
import { type PlannedCredit, plannedInTurn } from '../credits/planned-credits.ts';
import { type ApplicableDiscount, applyDiscounts, discountsAfter } from '../discounts/discounts.ts';
import { lateBehind, lateTrueUps } from '../metering/late-true-ups.ts';
import type {
  AddonCharge,
  FeeCharge,
  LateCharge,
  PrepaidCharge,
  ProrationCharge,
  TrueUpCharge,
  UsageCharge,
} from '../pricing/charges.ts';
import type { HeldUsage } from '../pricing/held-usage.ts';
import { type InvoiceAmounts, type InvoiceKind, inLineOrder, type NewInvoiceLine } from './invoice.ts';
import {
  addonLine,
  creditLine,
  feeLine,
  lateLine,
  prepaidLine,
  prorationLine,
  trueUpLine,
  usageLine,
} from './invoice-lines.ts';
import { stillHeld } from './pending-items.ts';

/** What an invoice is made of. Usages come in component order, pending invoice items (any type but credit) with exact amounts. */
export type InvoiceInput = {
  kind: InvoiceKind;
  currency: string;
  /** Percentage, at the moment of issue. */
  taxRate: Decimal;
  periodStart: Instant | null;
  periodEnd: Instant | null;
  fees: readonly FeeCharge[];
  prepaid: readonly PrepaidCharge[];
  usages: readonly UsageCharge[];
  addons?: readonly AddonCharge[];
  prorations?: readonly ProrationCharge[];
  late?: readonly LateCharge[];
  trueUps?: readonly TrueUpCharge[];
  pending: readonly NewInvoiceLine[];
  held?: readonly HeldUsage[];
  /** The customer's credits, of any status; those of another currency do not apply. */
  credits: readonly ApplicableCredit[];
  /** Of the subscriptions that the lines are of, in order of redemption. */
  discounts?: readonly ApplicableDiscount[];
  /** The customer's local date of issue. */
  today: LocalDate;
};

/** `overpayment` is what a negative total leaves: a credit of reason overpayment_credit, to be made with the invoice. */
export type ComputedInvoice<Line = NewInvoiceLine> = InvoiceAmounts & {
  kind: InvoiceKind;
  status: 'open' | 'paid';
  currency: string;
  periodStart: Instant | null;
  periodEnd: Instant | null;
  lines: Line[];
  applications: CreditApplication[];
  overpayment: Decimal;
  /** The discounts that have lowered it. */
  discountsUsed: string[];
  held: readonly HeldUsage[];
};

/**
 * The one computation of an invoice, draft or final (spec/invoices#order-of-computation): every line, true-ups among them, rounded once to the
 * currency, half away from zero; discounts on what is rounded; tax on their sum, rounded once, with its sign; then credits. Asserts
 * that the parts sum to the whole.
 */
export function computeInvoice(input: InvoiceInput): ComputedInvoice {
  const places = currencyOf(input.currency).exponent;
  const rounded = inLineOrder(chargedLines(input, places)).map((line) => roundLine(line, places));
  const { charged, discounts, used } = applyDiscounts(rounded, input.discounts ?? [], { ...input, places });
  const left = input.pending.flatMap((line) => line.held ?? []);
  const held = [...(input.held ?? []), ...stillHeld(left, input.late ?? [])];
  return { ...settleInvoice([...charged, ...discounts], { ...input, held }), discountsUsed: used };
}

/** Whose invoice it is, for what, and what it is settled by. */
type Settlement = Pick<
  InvoiceInput,
  'kind' | 'currency' | 'taxRate' | 'periodStart' | 'periodEnd' | 'credits' | 'held' | 'today'
>;

/** The invoice of charges that are rounded, and less their discounts: their sum, tax on it, rounded once, and credits. */
export function settleInvoice(charged: readonly NewInvoiceLine[], input: Settlement): ComputedInvoice {
  const { kind, currency, periodStart, periodEnd } = input;
  const places = currencyOf(currency).exponent;
  const subtotal = sum(charged.map((line) => line.amount));
  const { taxRate, taxAmount } = taxOf(charged, input.taxRate, places);
  const total = subtotal.plus(taxAmount);
  const usable = input.credits.filter((credit) => credit.currency === currency);
  const applications = applyCredits(total, usable, input.today);
  const creditsApplied = sum(applications.map(({ amount }) => amount));
  const invoice: ComputedInvoice = {
    kind,
    status: total.gt(creditsApplied) ? 'open' : 'paid',
    currency,
    periodStart,
    periodEnd,
    lines: [...charged, ...applications.map(creditLine)],
    subtotal,
    taxRate,
    taxAmount,
    total,
    creditsApplied,
    applications,
    amountDue: total.gt(0) ? total.minus(creditsApplied) : ZERO,
    overpayment: total.lt(0) ? total.negated() : ZERO,
    discountsUsed: [],
    held: input.held ?? [],
  };
  assertSums(invoice, places);
  return invoice;
}

/** Invoices of one customer: `parts` in the order in which they are issued (spec/periods#order-at-one-instant). */
export type InvoicesInput = Pick<InvoiceInput, 'currency' | 'taxRate' | 'today' | 'credits' | 'discounts'> & {
  parts: readonly InvoicePart[];
};

/**
 * `issuedOn`: the date that the invoice will have, by default today. Of a draft: `dueAt`, when it will be made; `standIn`, what stands for its id until
 * then; `prorationCredits`, credits that are made by what it bills, before it or at an earlier instant (spec/credits#application).
 */
export type InvoicePart = Omit<InvoiceInput, 'currency' | 'taxRate' | 'today' | 'credits' | 'discounts'> & {
  issuedOn?: LocalDate;
  dueAt?: Instant;
  standIn?: string;
  prorationCredits?: readonly PlannedCredit[];
};

/**
 * The invoices of a customer one after another, each computed as it is taken: credits and discounts used up by one are missing for the next. A draft
 * computes those that are to come, a closing those that are due (spec/invoices#draft).
 */
export function* computeInvoices(input: InvoicesInput): Generator<InvoiceInTurn> {
  const { currency, taxRate } = input;
  let credits = [...input.credits];
  let discounts = [...(input.discounts ?? [])];
  const planned = plannedInTurn(input.parts.flatMap(({ prorationCredits = [] }) => prorationCredits));
  for (const part of input.parts) {
    const { prorationCredits: own = [], dueAt = 0, standIn } = part;
    // At one instant what is invoiced comes before what is canceled or switched then.
    credits.push(...planned.come((credit) => own.includes(credit) || credit.createdAt < dueAt));
    const today = part.issuedOn ?? input.today;
    const computed = computeInvoice({ ...part, currency, taxRate, today, credits, discounts });
    discounts = discountsAfter(discounts, { ...part, used: computed.discountsUsed });
    credits = creditsAfter(credits, computed.applications);
    const leaves = computed.overpayment.gt(0) ? newestCredit(computed, credits) : null;
    if (leaves) credits.push(leaves);
    if (standIn !== undefined) planned.invoiced([standIn], computed.amountDue);
    yield { ...computed, leaves };
  }
}

/** An invoice among others of its customer. `leaves`: the planned credit that its negative total is to those behind it. */
export type InvoiceInTurn = ComputedInvoice & { leaves: ApplicableCredit | null };

/** The invoice with credits that have been made in the place of planned ones; `made`: by the id of the planned one. */
export function withMadeCredits(
  { leaves: _leaves, ...invoice }: InvoiceInTurn,
  made: ReadonlyMap<string, ApplicableCredit>,
): ComputedInvoice {
  const applications = invoice.applications.map(({ credit, amount }) => {
    return { credit: made.get(credit.creditId) ?? credit, amount };
  });
  const charged = invoice.lines.filter(({ type }) => type !== 'credit');
  return { ...invoice, applications, lines: [...charged, ...applications.map(creditLine)] };
}

/** The credit that a negative invoice leaves for the next one (spec/invoices#arithmetic). */
export function newestCredit({ overpayment: amount, currency }: ComputedInvoice, before: readonly ApplicableCredit[]) {
  const at = Math.max(0, ...before.map(({ createdAt }) => createdAt)) + 1;
  return plannedCredit(`overpayment/${before.length}`, { amount, currency, description: 'Overpayment', at });
}

/**
 * Returns the tax of an invoice: that of the lines without a tax of their own, rounded once, and the tax of settled late lines. The rate is that of the first
 * if there are any, else that of the others (spec/invoices#arithmetic).
 */
function taxOf(charged: readonly NewInvoiceLine[], rateOfNow: Decimal, places: number) {
  const settled = charged.flatMap(({ basis }) => (basis?.of === 'late_usage' ? basis : []));
  const others = charged.filter(({ basis }) => basis?.of !== 'late_usage');
  const net = sum(others.map(({ amount }) => amount));
  const isOnlyLate = others.every(({ amount }) => amount.isZero());
  const [taken] = settled.filter(({ taxAmount }) => !taxAmount.isZero());
  const taxRate = net.lt(0) ? rateTakenBack(others, rateOfNow) : isOnlyLate && taken ? taken.taxRate : rateOfNow;
  const taxAmount = sum([computeTax(net, taxRate, places), ...settled.map((one) => one.taxAmount)]);
  return { taxRate, taxAmount };
}

/** subtotal * tax_rate / 100 rounded once to `places` decimals, with the sign of the subtotal (spec/invoices#arithmetic). */
export function computeTax(subtotal: Decimal, taxRate: Decimal, places: number): Decimal {
  return roundHalfAwayFromZero(subtotal.times(taxRate).shiftedBy(-2), places);
}

/**
 * The rate of an invoice that takes back more than it charges: the one with which most of what is taken back was charged,
 * `rateOfNow` for what was on no invoice yet (spec/invoices#arithmetic).
 */
function rateTakenBack(lines: readonly NewInvoiceLine[], rateOfNow: Decimal): Decimal {
  const takenBack = lines.filter(({ type, amount }) => type !== 'discount' && amount.lt(0));
  const byRate = [...Map.groupBy(takenBack, ({ chargedRate = rateOfNow }) => chargedRate.toFixed()).values()];
  const amountOf = (of: readonly NewInvoiceLine[]) => sum(of.map(({ amount }) => amount));
  const most = byRate.reduce((a, b) => (amountOf(b).lt(amountOf(a)) ? b : a));
  return most[0]?.chargedRate ?? rateOfNow;
}

/** The lines of what is charged, with exact amounts: also what a cancel leaves waiting for another invoice. */
export function chargedLines(
  input: Pick<InvoiceInput, 'fees' | 'prepaid' | 'usages' | 'addons' | 'prorations' | 'late' | 'trueUps' | 'pending'>,
  places: number,
): NewInvoiceLine[] {
  const { fees, prepaid, usages, addons = [], prorations = [], pending, late = [], trueUps = [] } = input;
  if (pending.some((line) => line.type === 'credit')) throw new Error('credits are computed, they do not wait');
  return [
    ...fees.map(feeLine),
    ...prepaid.map(prepaidLine),
    ...usages.map(usageLine),
    ...addons.map(addonLine),
    ...pending,
    ...prorations.map(prorationLine),
    ...late.map((charge) => lateLine(charge, places)),
    ...[...trueUps, ...lateTrueUps(lateBehind(late, trueUps), places)]
      .map(trueUpLine)
      .filter(({ amount }) => !amount.isZero()),
  ];
}

function roundLine({ held: _held, ...line }: NewInvoiceLine, places: number): NewInvoiceLine {
  return { ...line, amount: roundHalfAwayFromZero(line.amount, places) };
}

/**
 * What a cancel leaves of its charges for the customer's next invoice (spec/subscriptions#cancel): each line rounded once, one of usage with
 * what has no price. Where nothing is due that one alone, else none.
 */
export function linesLeft(
  charges: Parameters<typeof chargedLines>[0] & Pick<InvoiceInput, 'held'>,
  places: number,
): NewInvoiceLine[] {
  const lines = chargedLines(charges, places).map((line) => roundLine(line, places));
  const { held = [] } = charges;
  const holder = held.length > 0 ? lines.find(({ type }) => type === 'usage') : undefined;
  const left = isNothingDue(lines) ? lines.filter((line) => line === holder) : lines;
  return left.map((line) => (line === holder ? { ...line, held } : line));
}

/** Whether lines make no invoice where only what is due is invoiced. */
export function isNothingDue(lines: readonly Pick<NewInvoiceLine, 'amount'>[]): boolean {
  return lines.every(({ amount }) => amount.isZero());
}

function assertSums(invoice: ComputedInvoice, places: number): void {
  const { lines, subtotal, taxAmount, total, creditsApplied, amountDue, overpayment } = invoice;
  const holds =
    lines.every((line) => (line.amount.decimalPlaces() ?? 0) <= places) &&
    sum(lines.map((line) => line.amount)).eq(subtotal.minus(creditsApplied)) &&
    total.eq(subtotal.plus(taxAmount)) &&
    total.eq(creditsApplied.plus(amountDue).minus(overpayment)) &&
    [creditsApplied, amountDue, overpayment].every((amount) => amount.gte(0));
  if (!holds) throw new Error('the parts of an invoice do not sum to the whole');
}
