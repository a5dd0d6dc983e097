import {
  addDays,
  daysBetween,
  type Instant,
  type LocalDate,
  localDateAt,
  startOfLocalDay,
} from '../../core/instants.ts';
import { boundaryOf, lastBoundary, PERIOD_DAYS, type PeriodAnchor } from './calendars.ts';

/** What the periods of a subscription are made of. */
export type PeriodTerms = PeriodAnchor & { startDate: LocalDate; timeZone: string };

/**
 * Half-open, by date and by instant; `endDate` is the first day of the next one. `days`: what a day of it is a part of, its
 * calendar days; of a first one that begins within a period of the calendar, those of that whole period. `timeZone` is the
 * customer's as the period began: dates within it are of that zone, whatever becomes of the customer's (spec/customers#time-zone).
 * `anchorDate`: what it and the periods after it are counted from, where they are months.
 */
export type Period = {
  index: number;
  startDate: LocalDate;
  endDate: LocalDate;
  startsAt: Instant;
  endsAt: Instant;
  days: number;
  timeZone: string;
  anchorDate: LocalDate | null;
};

/** A period by its subscription and its index there. */
export type PeriodKey = { subscriptionId: string; periodIndex: number };

/**
 * Period `k` (from 0): it starts at local midnight of its first day; where midnight does not exist, at the first instant of that
 * day (spec/periods#periods).
 */
export function periodOf(terms: PeriodTerms, k: number): Period {
  if (!Number.isSafeInteger(k) || k < 0) throw new Error(`period ${k} does not exist`);
  const { startDate, endDate, days } = datesOf(terms, k);
  const { timeZone, anchorDate } = terms;
  const [startsAt, endsAt] = [startOfLocalDay(startDate, timeZone), startOfLocalDay(endDate, timeZone)];
  return { index: k, startDate, endDate, startsAt, endsAt, days, timeZone, anchorDate };
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
 * The period after one whose instants are stored: it starts where that one ended, whatever zone that was in, and ends by
 * the zone of now (spec/customers#time-zone).
 */
export function periodAfter(terms: Omit<PeriodTerms, 'anchorDate'>, previous: Period): Period {
  const { anchorDate, endsAt: startsAt } = previous;
  return { ...periodOf({ ...terms, anchorDate }, previous.index + 1), startsAt };
}

/** The index of the period that a local date lies in; negative before the start date. */
export function periodIndexOn({ startDate, billingPeriod, anchorDate }: PeriodTerms, date: LocalDate): number {
  if (anchorDate === null) return Math.floor(daysBetween(startDate, date) / PERIOD_DAYS[billingPeriod]);
  if (date < startDate) return -1;
  return lastBoundary(anchorDate, billingPeriod, date) - lastBoundary(anchorDate, billingPeriod, startDate);
}
