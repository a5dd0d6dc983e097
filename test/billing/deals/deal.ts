import type { LineType } from '../../../billing/invoices/invoice.ts';

/** A random deal: what is sold to one customer, and what happens. Amounts and quantities are decimal texts, days are counted from the start date. */
export type Deal = {
  seed: number;
  zone: string;
  /** The first day of the first billing period. */
  startDate: string;
  /** Of a billing period by fixed days. */
  days: 30 | 90 | 365;
  calendar: 'fixed_days' | 'anniversary' | 'calendar';
  anchorDay: number | null;
  billsMonths: boolean;
  /** Before that day; 0: none. */
  trialDays: number;
  billsTrial: boolean;
  timing: 'in_arrears' | 'in_advance';
  fee: string;
  limits: DealLimits;
  components: DealComponent[];
  discounts: DealDiscount[];
  /** The types of the lines that all of them are about; null: any. */
  discountedTypes: LineType[] | null;
  taxRate: string;
  /** How many usage periods are lived at most behind the trial. */
  usagePeriods: number;
  /** The day at whose noon it is canceled; null: never. */
  cancelDay: number | null;
  /** From a day's noon to a day's evening, each within one usage period, in order. */
  pauses: { from: number; to: number }[];
  /** In the order of time. */
  events: DealEvent[];
};

export type DealLimits = { minimum: string | null; maximum: string | null };

export type DealPrice =
  | { model: 'per_unit'; price: string; freeTier: string }
  | { model: 'percentage'; percentage: string; fixed: string; least: string | null; most: string | null };

/** Bills the sum of what its events have. */
export type DealComponent = { metricId: string; price: DealPrice; limits: DealLimits };

export type DealDiscount = {
  off: { percent: string } | { amount: string };
  /** Invoices that it may lower; null: any number. */
  periods: number | null;
};

/** `time`: epoch milliseconds. */
export type DealEvent = { metricId: string; time: number; value: string };

/** An invoice, as far as both sides are to agree: its lines in any order, as "type metric amount". */
export type DealInvoice = { kind: string; from: number; to: number; lines: string[]; subtotal: string; tax: string };
