import { type Decimal, sum, ZERO } from '../../core/decimal.ts';
import type { Instant, LocalDate } from '../../core/instants.ts';
import type { HeldUsage } from '../pricing/held-usage.ts';
import type { RatedTier } from '../pricing/model-price.ts';
import type { PropertyTexts } from '../pricing/price-book.ts';
import type { AgreedLine } from '../subscriptions/agreement.ts';
import type { InvoiceStatus } from '../subscriptions/states.ts';
import type { Address } from '../subscriptions/subscription.ts';
import type { LineBasis, ReversalPart } from './line-basis.ts';

/** `opening`: what is due at the very start; `period`: every boundary; `closing`: after an end (spec/subscriptions#invoices-on-schedule, spec/invoices#record). */
export type InvoiceKind = 'opening' | 'period' | 'closing' | 'proration' | 'manual';

/** The types of line in the order in which an invoice lists them: usage in component order within it (spec/invoices#lines). */
export const LINE_TYPES = [
  'recurring_fee',
  'prepaid_units',
  'usage',
  'addon',
  'proration',
  'late_usage',
  'true_up',
  'discount',
  'credit',
] as const;
export type LineType = (typeof LINE_TYPES)[number];

/** Sorts lines into that order; those of one type stay as they are. */
export function inLineOrder<T extends { type: LineType }>(lines: readonly T[]): T[] {
  return lines.toSorted((a, b) => LINE_TYPES.indexOf(a.type) - LINE_TYPES.indexOf(b.type));
}

/**
 * A line (spec/invoices#lines). `quantity` is the metric's value, `billableQuantity` what is left after rounding and free tier;
 * `unitPrice` is null where tiers or days make the price. `amount` is rounded to the currency, `tiers` are exact.
 */
export type InvoiceLine = {
  /** Whose line it is, where that is not the customer of its invoice. */
  customerId?: string;
  /** Null in a draft. */
  lineId: string | null;
  type: LineType;
  description: string;
  subscriptionId: string | null;
  planId: string | null;
  version: number | null;
  metricId: string | null;
  addonId: string | null;
  creditId: string | null;
  periodStart: Instant | null;
  periodEnd: Instant | null;
  quantity: Decimal | null;
  billableQuantity: Decimal | null;
  unitPrice: Decimal | null;
  amount: Decimal;
  tiers: RatedTier[];
  eventsCount: Decimal | null;
  /** The invoice of which a line below 0 gives back; only of one that is being issued. */
  givenBackOf?: string;
  /** It charges again what was credited, which was less discounts already; only of one that is being issued. */
  isChargedAgain?: true;
  /**
   * The part of it that switches have credited before it is on an invoice, without tax and less percentages; below 0 the part of such a credit
   * that it charges again. Only of a line that is being issued.
   */
  creditedBefore?: Decimal;
  /** The charges that a settled late line takes back; only of a line that is being issued. */
  reverses?: readonly ReversalPart[];
  /** The attachment of the add-on that it charges; only of a line that is being issued. */
  addonSubscriptionId?: string;
  /**
   * The part of a charge that reversals and refunds have taken back, without tax (spec/invoices#reversed-amounts). Null on other lines and of
   * an invoice whose charges are not recorded yet; left out on a line that is not on an invoice.
   */
  reversedAmount?: Decimal | null;
  /** Of an agreed plan version: the one it is based on, and whether what the line is priced by was agreed on. */
  agreed?: AgreedLine;
  /** What discounts take of a charge, with its sign; left out where none does. */
  discountAmount?: Decimal;
  /** What a true_up or discount line was reckoned from. */
  basis?: LineBasis;
  /** Of a component with a price book: the combination, and the row that priced it; left out on other lines. */
  group?: PropertyTexts;
  priceId?: string;
};

/** What the lines that are charges sum to: all but the credits, so that a reader can add up what is shown (spec/invoices#lines). */
export function chargesSubtotal(lines: readonly Pick<InvoiceLine, 'type' | 'amount'>[]): Decimal {
  return sum(lines.filter(({ type }) => type !== 'credit').map(({ amount }) => amount));
}

/** What discounts take off (spec/discounts#lines). */
export function discountAmount(lines: readonly Pick<InvoiceLine, 'type' | 'amount'>[]): Decimal {
  return ZERO.minus(sum(lines.filter(({ type }) => type === 'discount').map(({ amount }) => amount)));
}

/**
 * A line before saving gives it its id. `chargedRate`: the rate of tax with which what it takes back was charged. `wasHeld`: late usage, and what limits make of it, that waited for a price.
 * `held`: of a line of usage that a cancel has left for a later invoice, what is on that for want of a price.
 */
export type NewInvoiceLine = Omit<InvoiceLine, 'lineId'> & {
  chargedRate?: Decimal;
  wasHeld?: boolean;
  held?: readonly HeldUsage[];
};

/** `method`: `manual` for mark_paid, else the processor's name. */
export type Payment = {
  paymentId: string;
  method: string;
  amount: Decimal;
  reference: string | null;
  paidAt: Instant;
};

/** The amounts of an invoice, and how they follow from its lines (spec/invoices#arithmetic). */
export type InvoiceAmounts = {
  subtotal: Decimal;
  taxRate: Decimal;
  taxAmount: Decimal;
  total: Decimal;
  creditsApplied: Decimal;
  amountDue: Decimal;
};

/** A part of a consolidated invoice: what a subscription of the payer, or of one billed to it, is billed (spec/invoices#sections). */
export type InvoiceSection = {
  customerId: string;
  subscriptionId: string;
  kind: InvoiceKind;
  periodStart: Instant | null;
  periodEnd: Instant | null;
  subtotal: Decimal;
};

/** spec/invoices#record. A draft has neither id nor number. `currency` is the upper-case code; dates are the customer's. */
export type Invoice = InvoiceAmounts & {
  invoiceId: string | null;
  invoiceNumber: string | null;
  customerId: string;
  subscriptionId: string | null;
  kind: InvoiceKind;
  status: InvoiceStatus;
  currency: string;
  issueDate: LocalDate;
  dueDate: LocalDate;
  periodStart: Instant | null;
  periodEnd: Instant | null;
  lines: InvoiceLine[];
  /** Of a consolidated invoice; none of any other. */
  sections: InvoiceSection[];
  amountPaid: Decimal;
  amountRefunded: Decimal;
  createdAt: Instant;
  paidAt: Instant | null;
  voidedAt: Instant | null;
  payments: Payment[];
  billingAddress: Address | null;
  customerName: string;
  testClockId: string | null;
  /** What the period has used that has no price (spec/price-books#unmatched). */
  held: readonly HeldUsage[];
};

/** An invoice with the customer's local date of now, on which past due is judged. */
export type DatedInvoice = Invoice & {
  customerToday: LocalDate;
  /** What lines sum up to that may be left out. */
  sums?: { chargesSubtotal: Decimal; discountAmount: Decimal };
};

/** One that was issued: it has an id and a number. */
export type IssuedInvoice = DatedInvoice & { invoiceId: string; invoiceNumber: string };

/** Open and past its due date (spec/invoices#record). */
export function isPastDue({ status, dueDate, customerToday }: DatedInvoice): boolean {
  return status === 'open' && dueDate < customerToday;
}
