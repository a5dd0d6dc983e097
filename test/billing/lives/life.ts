import type { DealBook, DealDiscount, DealLimits, DealPlan } from '../deals/deal.ts';

/**
 * A life: customers, what they subscribe to, and what happens to them, as plain data. A player performs the steps on an
 * implementation (in memory: `core-player.ts`; over HTTP: `test/workflows/lives/stack-player.ts`).
 *
 * Days count from 2027-01-01T00:00:00Z. Amounts, quantities and rates are decimal texts. Everybody is in UTC and pays in USD.
 */
export type Life = {
  /** The first customer is the one that a step is about if the step names none. */
  customers: LifeCustomer[];
  plans: Record<string, LifePlan>;
  /** In order of time. */
  steps: LifeStep[];
  /** The day on which the life ends. */
  until: number;
  /** Days between the end of a period and its invoice. */
  graceDays?: number;
  ignoresLate?: boolean;
};

export type LifeCustomer = { id: string; taxRate?: string; billedTo?: string };

/** The fields that are left out are those of a monthly plan in advance, without usage. */
export type LifePlan = Pick<DealPlan, 'fee'> &
  Partial<Pick<DealPlan, 'days' | 'timing' | 'billsMonths' | 'billsTrial'>> &
  Partial<DealLimits> & { components?: LifeComponent[] };

/** A component bills the sum of the values of the events that are named like its metric. */
export type LifeComponent = {
  metric: string;
  price?: string;
  freeTier?: string;
  prepaid?: string;
  book?: DealBook;
} & Partial<DealLimits>;

export type Invoicing = 'now' | 'next';

/** `at`: a day; 10.5 is noon of day 10. Time that makes something due at the same instant comes first. */
export type LifeStep = { at: number; customer?: string } & LifeAct;

export type LifeAct =
  | { do: 'subscribe'; plan: string; trialDays?: number; discounts?: DealDiscount[]; phases?: LifePhase[] }
  /** `of`: the day of the event; without it the event is tracked on its own day. */
  | { do: 'use'; metric: string; value: string; of?: number; texts?: Record<string, string> }
  | { do: 'redeem'; discount: DealDiscount }
  /** `inDays`: planned for the midnight so many days after today's. */
  | { do: 'switch'; plan: string; inDays?: number; invoicing?: Invoicing; resets?: boolean }
  | { do: 'withdraw_switch' }
  | ({ do: 'cancel' } & LifeCancel)
  | { do: 'pause'; inDays?: number }
  | { do: 'resume' }
  | { do: 'attach'; price: string; isOnce?: boolean }
  | { do: 'units'; metric: string; units: string; invoicing?: Invoicing }
  /** Of all invoices of the customer that are open. */
  | { do: 'pay' }
  /** `invoice`: by its place among those of the customer, the oldest is 0; without it the latest. */
  | { do: 'void'; invoice?: number }
  | { do: 'give_up'; invoice?: number }
  | { do: 'refund'; invoice?: number; amount?: string }
  | { do: 'grant'; amount: string; expiresInDays?: number }
  /** Who pays for the customer from now on; null: itself. */
  | { do: 'bill_to'; payer: string | null }
  | { do: 'tax'; rate: string }
  | { do: 'add_price'; plan: string; metric: string; model: string; price: string };

/** `subscription`: by its place among those of the customer, without it the latest. `atEnd`: at the end of its period. */
export type LifeCancel = {
  subscription?: number;
  inDays?: number;
  atEnd?: boolean;
  fee?: 'charge_prorated' | 'charge_full' | 'refund';
  billsUsage?: boolean;
  invoicing?: Invoicing;
};

export type LifePhase = { inDays: number; plan: string };

/** An invoice, drafted or issued, as texts, so that a difference is read at a glance. */
export type Bill = {
  customer: string;
  kind: string;
  /** The day of its issue, as a date. */
  date: string;
  /** In their order: "type metric quantity amount". */
  lines: string[];
  tax: string;
  total: string;
  /** What is left to pay when it is issued. */
  due: string;
};

/** What has come of a life. */
export type Outcome = {
  /** By customer: cash received and due, less refunds and the credits that are left of what was paid. */
  net: Record<string, string>;
  /** As "customer kind total, due amount", void ones too. */
  invoices: string[];
  /** What is left of credits, as "customer amount" and "until date". */
  credits: string[];
};

/** Performs a life on an implementation. */
export type Player = {
  /** Performs what is due until that day, and then a step; false: the step is refused. */
  perform(step: LifeStep): Promise<boolean>;
  passTime(day: number): Promise<void>;
  /** The parts of the draft of who is billed, in their order. */
  draft(customer: string): Promise<Bill[]>;
  /** The invoices to a customer in order of issue, each as it was when it was issued. */
  issued(customer: string): Promise<Bill[]>;
  outcome(): Promise<Outcome>;
};

const START = Date.UTC(2027, 0, 1);
const DAY_MS = 86_400_000;

export function instantOf(day: number): number {
  return START + Math.round(day * DAY_MS);
}

export function dateOf(day: number): string {
  return new Date(instantOf(day)).toISOString().slice(0, 10);
}

/** The plan in the form of deals, for the builders of plans that exist for those. */
export function dealPlanOf({ fee, components = [], minimum = null, maximum = null, ...plan }: LifePlan): DealPlan {
  return {
    ...{ days: 30, calendar: 'fixed_days', anchorDay: null, billsMonths: false, billsTrial: false },
    ...{ timing: 'in_advance', ...plan, fee, limits: { minimum, maximum } },
    components: components.map(({ metric, price, book, ...one }) => ({
      ...{ metricId: metric, book: book ?? null, freeTier: one.freeTier ?? '0', prepaidUnits: one.prepaid ?? '0' },
      price: price === undefined ? null : { model: 'per_unit', price },
      limits: { minimum: one.minimum ?? null, maximum: one.maximum ?? null },
    })),
  };
}
