import {
  addDays,
  daysBetween,
  type Instant,
  type LocalDate,
  localDateAt,
  startOfLocalDay,
} from '../../core/instants.ts';
import { boundaryOf, lastBoundary, PERIOD_DAYS, type PeriodAnchor, type UsagePeriod } from './calendars.ts';
import { type BillingSpan, endsBilling, type Span, usagePeriodEnd } from './usage-months.ts';

/** What the periods of a subscription are made of. */
export type PeriodTerms = PeriodAnchor & { usagePeriod: UsagePeriod; startDate: LocalDate; timeZone: string };

/**
 * What is closed and billed at once: a billing period, or where a plan has usage months a month of one (spec/periods#usage-months);
 * `billing` is the billing period that it is, or lies in. `days`: what a day of that is a part of, its
 * calendar days; of a first one that begins within a period of the calendar, those of that whole period. `timeZone` is the
 * customer's as the billing period began: dates within it are of that zone, whatever becomes of the customer's (spec/customers#time-zone).
 * `anchorDate`: what it and the periods after it are counted from, where they are months.
 */
export type Period = Span & {
  index: number;
  days: number;
  timeZone: string;
  anchorDate: LocalDate | null;
  billing: BillingSpan;
  /** Set where it is a trial: always a first one (spec/subscriptions#trials). */
  trial?: Trial;
  /** The plan version that bills it, where that is not the one its subscription is on: another phase (spec/subscriptions#phases). */
  version?: number;
};

/** Of a period that is a trial: when its coming end is to be told; null where it has been. */
export type Trial = { noticeAt: Instant | null };

/** A period by its subscription and its index there. */
export type PeriodKey = { subscriptionId: string; periodIndex: number };

/**
 * Billing period `k` (from 0), of usage months its first one: it starts at local midnight of its first day; where midnight does not
 * exist, at the first instant of that day (spec/periods#periods).
 */
export function periodOf(terms: PeriodTerms, k: number): Period {
  if (!Number.isSafeInteger(k) || k < 0) throw new Error(`period ${k} does not exist`);
  const { startDate, endDate, days } = datesOf(terms, k);
  const { timeZone, anchorDate } = terms;
  const [startsAt, endsAt] = [startOfLocalDay(startDate, timeZone), startOfLocalDay(endDate, timeZone)];
  const billing = { index: k, startDate, endDate, startsAt, endsAt };
  return {
    ...billing,
    ...usageEnd(terms, { billing, anchorDate, timeZone }, startDate),
    days,
    timeZone,
    anchorDate,
    billing,
  };
}

/** Where the usage period ends that begins on `startDate` within a billing period. */
function usageEnd(
  { usagePeriod }: Pick<PeriodTerms, 'usagePeriod'>,
  { billing, anchorDate, timeZone }: Pick<Period, 'billing' | 'anchorDate' | 'timeZone'>,
  startDate: LocalDate,
): Pick<Period, 'endDate' | 'endsAt'> {
  const endDate = usagePeriodEnd({ usagePeriod, anchorDate }, billing, startDate);
  return { endDate, endsAt: endDate === billing.endDate ? billing.endsAt : startOfLocalDay(endDate, timeZone) };
}

/** Fixed days follow on the start date; months lie between the boundaries of their anchor, and the first one may begin between two. */
function datesOf(
  { startDate, billingPeriod, anchorDate }: PeriodTerms,
  k: number,
): Pick<Period, 'startDate' | 'endDate' | 'days'> {
  if (anchorDate === null) {
    const days = PERIOD_DAYS[billingPeriod];
    const start = addDays(startDate, k * days);
    return { startDate: start, endDate: addDays(start, days), days };
  }
  const first = lastBoundary(anchorDate, billingPeriod, startDate);
  const start = boundaryOf(anchorDate, billingPeriod, first + k);
  const endDate = boundaryOf(anchorDate, billingPeriod, first + k + 1);
  return { startDate: k === 0 ? startDate : start, endDate, days: daysBetween(start, endDate) };
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
 * The period after one whose instants are stored: it starts where that one ended, whatever zone that was in. A billing period
 * ends by the zone of now (spec/customers#time-zone); a usage month within it by the zone that it began with.
 */
export function periodAfter(terms: Omit<PeriodTerms, 'anchorDate' | 'startDate'>, previous: Period): Period {
  const { anchorDate, endsAt: startsAt, endDate: startDate, billing } = previous;
  const index = previous.index + 1;
  if (!endsBilling(previous))
    return { ...previous, index, startDate, startsAt, ...usageEnd(terms, previous, startDate) };
  const next = periodOf({ ...terms, startDate: billing.endDate, anchorDate }, 0);
  return { ...next, index, startsAt, billing: { ...next.billing, index: billing.index + 1, startsAt } };
}

/** The index of the billing period that a local date lies in; negative before the start date. */
export function periodIndexOn(
  { startDate, billingPeriod, anchorDate }: Omit<PeriodTerms, 'usagePeriod'>,
  date: LocalDate,
): number {
  if (anchorDate === null) return Math.floor(daysBetween(startDate, date) / PERIOD_DAYS[billingPeriod]);
  if (date < startDate) return -1;
  return lastBoundary(anchorDate, billingPeriod, date) - lastBoundary(anchorDate, billingPeriod, startDate);
}
