import { addDays, daysBetween, type Instant, type LocalDate } from '../../core/instants.ts';
import { type BillingPeriod, boundaryOf, lastBoundary, PERIOD_DAYS, type UsagePeriod } from './calendars.ts';

/** Half-open, by date and by instant; `endDate` is the first day of the next one. */
export type Span = { startDate: LocalDate; endDate: LocalDate; startsAt: Instant; endsAt: Instant };

/** A billing period: what the fee is for; `index` is its place in the subscription's life. */
export type BillingSpan = Span & { index: number };

/** What says where usage months end within a billing period; `anchorDate` null where days are counted. */
type MonthTerms = { usagePeriod: UsagePeriod; anchorDate: LocalDate | null };

/**
 * The date on which the usage period of a billing period ends that begins on `startDate` (spec/periods#usage-months): the billing
 * period's own end, or a month's, from anchor to anchor; by fixed days 30 days, where the last month takes what is left.
 */
export function usagePeriodEnd(
  { usagePeriod, anchorDate }: MonthTerms,
  { endDate }: Pick<BillingSpan, 'endDate'>,
  startDate: LocalDate,
): LocalDate {
  if (usagePeriod === 'billing_period') return endDate;
  if (anchorDate !== null) return boundaryOf(anchorDate, MONTH, lastBoundary(anchorDate, MONTH, startDate) + 1);
  const isLast = daysBetween(startDate, endDate) < 2 * PERIOD_DAYS.monthly;
  return isLast ? endDate : addDays(startDate, PERIOD_DAYS.monthly);
}

const MONTH: BillingPeriod = 'monthly';

/** Whether it is the first usage period of its billing period. */
export function beginsBilling({ startDate, billing }: { startDate: LocalDate; billing: BillingSpan }): boolean {
  return startDate === billing.startDate;
}

/** Whether its billing period ends with it: then the fee and add-ons are due, and the subscription is renewed. */
export function endsBilling({ endDate, billing }: { endDate: LocalDate; billing: BillingSpan }): boolean {
  return endDate === billing.endDate;
}

/** The days that a usage period's are a part of: those of its billing period, or of the whole month that it lies in. */
export function daysOfUsagePeriod(
  { startDate, endDate, anchorDate, days }: Span & { anchorDate: LocalDate | null; days: number },
  usagePeriod: UsagePeriod,
): number {
  if (usagePeriod === 'billing_period') return days;
  if (anchorDate === null) return daysBetween(startDate, endDate);
  const month = lastBoundary(anchorDate, MONTH, startDate);
  return daysBetween(boundaryOf(anchorDate, MONTH, month), boundaryOf(anchorDate, MONTH, month + 1));
}

/** The billing period of a usage period, by the index that it has among those: what fees, switches and add-ons are about. */
export function billingPeriodOf<T extends Span & { index: number; billing: BillingSpan }>(period: T): T {
  return { ...period, ...period.billing };
}
