import { addDays, addMonths, type LocalDate } from '../../core/instants.ts';

export type BillingPeriod = 'monthly' | 'quarterly' | 'annual';

/** Calendar days of a period by fixed days (spec/periods#periods: "Monthly is every 30 days, Quarterly every 90 days, Annual every 365 days"). */
export const PERIOD_DAYS: Readonly<Record<BillingPeriod, number>> = { monthly: 30, quarterly: 90, annual: 365 };

/** Months of a period by any other calendar. */
export const PERIOD_MONTHS: Readonly<Record<BillingPeriod, number>> = { monthly: 1, quarterly: 3, annual: 12 };

/** What periods are counted by (spec/periods#calendars). */
export const BILLING_CALENDARS = ['fixed_days', 'anniversary', 'calendar'] as const;
export type BillingCalendar = (typeof BILLING_CALENDARS)[number];

/** What its components bill at once: all of a billing period, or a month of it (spec/periods#usage-months). */
export const USAGE_PERIODS = ['billing_period', 'monthly'] as const;
export type UsagePeriod = (typeof USAGE_PERIODS)[number];

/** How a plan's periods lie. `anchorDay`: 1 to 31, the day of the month they start on by `calendar`; null by the others. */
export type PlanCalendar = {
  billingPeriod: BillingPeriod;
  billingCalendar: BillingCalendar;
  anchorDay: number | null;
  usagePeriod: UsagePeriod;
};

/**
 * Periods of whole months start so many months before or after their anchor; null where they are counted in days, from the start
 * date. Always counted from the anchor, never from the period before: from 31 January 28 February, 31 March.
 */
export type PeriodAnchor = { billingPeriod: BillingPeriod; anchorDate: LocalDate | null };

/** A January, from which months, quarters and years of the calendar are counted; it has every day that may be an anchor. */
const A_JANUARY = '2000-01';

/** The anchor of a subscription to a plan that starts on a date, and goes on from none that it replaces. */
export function anchorOf(
  { billingCalendar, anchorDay }: Omit<PlanCalendar, 'usagePeriod'>,
  startDate: LocalDate,
): LocalDate | null {
  if (billingCalendar === 'fixed_days') return null;
  if (billingCalendar === 'anniversary') return startDate;
  if (anchorDay === null) throw new Error('a calendar without its anchor day');
  return `${A_JANUARY}-${String(anchorDay).padStart(2, '0')}`;
}

/** Whether periods of two plans are counted alike: then a switch keeps their boundaries, or at least their anchor. */
export function isSameCalendar(one: PlanCalendar, other: PlanCalendar): boolean {
  return (
    one.billingPeriod === other.billingPeriod &&
    one.billingCalendar === other.billingCalendar &&
    one.anchorDay === other.anchorDay &&
    one.usagePeriod === other.usagePeriod
  );
}

/** The boundary `k` periods of months after the anchor. */
export function boundaryOf(anchorDate: LocalDate, billingPeriod: BillingPeriod, k: number): LocalDate {
  return addMonths(anchorDate, k * PERIOD_MONTHS[billingPeriod]);
}

/** The number of the last boundary on or before a date: of {@link boundaryOf}. */
export function lastBoundary(anchorDate: LocalDate, billingPeriod: BillingPeriod, date: LocalDate): number {
  const k = Math.floor((monthOf(date) - monthOf(anchorDate)) / PERIOD_MONTHS[billingPeriod]);
  return boundaryOf(anchorDate, billingPeriod, k) <= date ? k : k - 1;
}

/** The first date of the whole period that a date lies in; by fixed days that date. */
export function startOfWholePeriod({ anchorDate, billingPeriod }: PeriodAnchor, date: LocalDate): LocalDate {
  if (anchorDate === null) return date;
  return boundaryOf(anchorDate, billingPeriod, lastBoundary(anchorDate, billingPeriod, date));
}

/** The first date on which a subscription may start that is made today: one billing period ago (spec/subscriptions#creation). */
export function earliestStart(
  { billingPeriod, billingCalendar }: Omit<PlanCalendar, 'usagePeriod'>,
  today: LocalDate,
): LocalDate {
  if (billingCalendar === 'fixed_days') return addDays(today, -PERIOD_DAYS[billingPeriod]);
  return addMonths(today, -PERIOD_MONTHS[billingPeriod]);
}

/** Months since year 0. */
function monthOf(date: LocalDate): number {
  return Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7));
}
