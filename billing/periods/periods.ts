import {
  addDays,
  daysBetween,
  type Instant,
  type LocalDate,
  localDateAt,
  startOfLocalDay,
} from '../../core/instants.ts';

export type BillingPeriod = 'monthly' | 'quarterly' | 'annual';

/** Calendar days of a period (spec/periods#periods: "Monthly is every 30 days, Quarterly every 90 days, Annual every 365 days"). */
export const PERIOD_DAYS: Readonly<Record<BillingPeriod, number>> = { monthly: 30, quarterly: 90, annual: 365 };

/** What the periods of a subscription are made of. */
export type PeriodTerms = { startDate: LocalDate; billingPeriod: BillingPeriod; timeZone: string };

/**
 * Half-open, by date and by instant; `endDate` is the first day of the next one, `days` its calendar days. `timeZone` is the
 * customer's as the period began: dates within it are of that zone, whatever becomes of the customer's (spec/customers#time-zone).
 */
export type Period = {
  index: number;
  startDate: LocalDate;
  endDate: LocalDate;
  startsAt: Instant;
  endsAt: Instant;
  days: number;
  timeZone: string;
};

/** A period by its subscription and its index there. */
export type PeriodKey = { subscriptionId: string; periodIndex: number };

/**
 * Period `k` (from 0): it starts at local midnight of the start date plus k times 30, 90 or 365 calendar days; where
 * midnight does not exist, at the first instant of that day (spec/periods#periods).
 */
export function periodOf(terms: PeriodTerms, k: number): Period {
  if (!Number.isSafeInteger(k) || k < 0) throw new Error(`period ${k} does not exist`);
  const days = PERIOD_DAYS[terms.billingPeriod];
  const startDate = addDays(terms.startDate, k * days);
  const endDate = addDays(startDate, days);
  const { timeZone } = terms;
  const [startsAt, endsAt] = [startOfLocalDay(startDate, timeZone), startOfLocalDay(endDate, timeZone)];
  return { index: k, startDate, endDate, startsAt, endsAt, days, timeZone };
}

/**
 * The date of an instant within a period, in the period's zone: never before its first day nor, while it runs, after its end,
 * also where the period before was of another zone (spec/customers#time-zone).
 */
export function dateIn({ startDate, endDate, endsAt, timeZone }: Period, at: Instant): LocalDate {
  const date = localDateAt(at, timeZone);
  if (date < startDate) return startDate;
  return at < endsAt && date > endDate ? endDate : date;
}

/**
 * The period after one whose instants are stored: it starts where that one ended, whatever zone that was in, and ends by
 * the zone of now (spec/customers#time-zone).
 */
export function periodAfter(terms: PeriodTerms, previous: Period): Period {
  return { ...periodOf(terms, previous.index + 1), startsAt: previous.endsAt };
}

/** The index of the period that a local date lies in; negative before the start date. */
export function periodIndexOn(terms: PeriodTerms, date: LocalDate): number {
  return Math.floor(daysBetween(terms.startDate, date) / PERIOD_DAYS[terms.billingPeriod]);
}
