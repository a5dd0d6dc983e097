import type { LineType } from '../../../billing/invoices/invoice.ts';

/** Decimals of its money. */
export const PLACES = { JPY: 0, USD: 2, KWD: 3 };

/** A random deal: what is sold to one customer, and what happens. Amounts and quantities are decimal texts, days are counted from the start date. */
export type Deal = {
  seed: number;
  zone: string;
  currency: keyof typeof PLACES;
  /** What the customer has been given as credit before. */
  credit: string;
  /** The day of the creation. */
  startDate: string;
  /** 0: no trial. */
  trialDays: number;
  /** The first is the one that is begun with. */
  plans: DealPlan[];
  /** Of the plan that is begun with. */
  overrides: DealOverrides | null;
  phases: DealPhase[];
  /** Each to a plan that the subscription has not had. */
  switches: DealSwitch[];
  cancel: DealCancel | null;
  discounts: DealDiscount[];
  /** The types of the lines that all of them are about; null: any. */
  discountedTypes: LineType[] | null;
  taxRate: string;
  /** Lived from the start date. */
  days: number;
  /** Attached at a day's noon, of deals in which no plan takes the place of another. */
  addons: DealAddon[];
  /** From a day's noon to a day's evening; nothing is asked for meanwhile. */
  pauses: { from: number; to: number }[];
  /** Rows that come to a plan's price book on an afternoon, on different days. */
  additions: DealAddition[];
  /** In the order of time. */
  events: DealEvent[];
  /** Those that it pays for, in its currency and zone; they have none themselves. */
  children: DealChild[];
  /** Of events that come late only those are billed that were held for want of a price. */
  ignoresLate: boolean;
};

/**
 * A deal that another one pays for: from an instant on, null for its creation, to another, null for the end. One that joins or leaves has the payer's tax.
 */
export type DealChild = { deal: Deal; joinsAt: number | null; leavesAt: number | null };

export type DealPlan = {
  /** Of a billing period by fixed days. */
  days: 30 | 90 | 365;
  calendar: 'fixed_days' | 'anniversary' | 'calendar';
  anchorDay: number | null;
  billsMonths: boolean;
  billsTrial: boolean;
  timing: 'in_arrears' | 'in_advance';
  fee: string;
  limits: DealLimits;
  components: DealComponent[];
};

export type DealLimits = { minimum: string | null; maximum: string | null };

export type DealPrice =
  | { model: 'per_unit'; price: string }
  | { model: 'percentage'; percentage: string; fixed: string; least: string | null; most: string | null };

/** Bills the sum of what its events have; `price` is null where only rows of its book have any. */
export type DealComponent = {
  metricId: string;
  price: DealPrice | null;
  freeTier: string;
  /** Units that each of its periods pays ahead, of deals in which no plan takes the place of another. */
  prepaidUnits: string;
  limits: DealLimits;
  book: DealBook | null;
};

export type DealBook = { groupBy: Name[]; rows: DealRow[]; unmatched: 'hold' | 'price' | 'ignore' };

/**
 * `from`: a day, at whose midnight it begins to hold. `isOverride`: it was agreed on, and is asked before those of the plan. `addedAt`: when it
 * came, of one that the plan was not made with.
 */
export type DealRow = {
  id: string;
  isOverride: boolean;
  when: Partial<Texts>;
  from: number | null;
  price: DealPrice;
  freeTier: string;
  addedAt?: number;
};

export type DealAddition = { day: number; plan: number; metricId: string; row: DealRow };

/** What events are told apart by. */
export type Name = 'model' | 'kind';
export type Texts = Record<Name, string | null>;

/** `price`: of a metric's component whose model it replaces, or of the same model; `rows` come to its book. */
export type DealOverrides = {
  fee?: string;
  limits?: DealLimits;
  components: { metricId: string; price?: DealPrice; limits?: DealLimits; rows?: DealRow[] }[];
};

/** `plan` null: that of the phase before, which stays. */
export type DealPhase = { day: number; plan: number | null; overrides: DealOverrides | null };

/** Asked for at the day's noon, for at once or (`isPlanned`) for the midnight behind it. */
type Asked = { day: number; isPlanned: boolean };

export type DealSwitch = Asked & {
  plan: number;
  overrides: DealOverrides | null;
  resets: boolean;
  isInvoicedNow: boolean;
};

/** `isInvoicedNow`: else what it bills waits for the period's end. */
export type DealCancel = Asked & {
  fee: 'charge_prorated' | 'charge_full' | 'refund';
  billsUsage: boolean;
  isInvoicedNow: boolean;
};

export type DealDiscount = {
  off: { percent: string } | { amount: string };
  /** Invoices that it may lower; null: any number. */
  periods: number | null;
};

export type DealAddon = { day: number; price: string; isOnce: boolean };

/** Epoch milliseconds; `landsAt`: of those that may come late. */
export type DealEvent = { metricId: string; time: number; landsAt?: number; value: string; texts: Texts };

/**
 * An invoice, as far as both sides are to agree: its lines in any order as "type metric amount", of usage with the combination, the row and
 * the number of events, and whose they are; what it holds as "metric combination quantity events"; its sections as "customer kind from to subtotal". The
 * customer is 0, or the place of a child.
 */
export type DealInvoice = {
  customer: number;
  kind: string;
  from: number;
  to: number;
  lines: string[];
  held: string[];
  sections: string[];
  subtotal: string;
  tax: string;
  /** What credits have left of it. */
  due: string;
};

/** What comes of a deal: its invoices, customer by customer, and what is given back as credits, without tax. */
export type DealOutcome = { invoices: DealInvoice[]; credits: string[] };
