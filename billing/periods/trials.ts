import { conflict, invalid } from '../../core/domain-error.ts';
import { addDays, daysBetween, type Instant, type LocalDate, startOfLocalDay } from '../../core/instants.ts';
import { anchorOf, type PlanCalendar } from './calendars.ts';
import type { Period } from './periods.ts';

/** What a plan offers to begin with (spec/subscriptions#trials): `days` 0 to 730, 0 for none; `billsUsage`: of a trial, too. */
export type PlanTrial = { days: number; billsUsage: boolean };

/** So many days before its end a trial's end is told. */
const NOTICE_DAYS = 3;

/** The trial of a subscription to a plan: its first period, from whose end billing periods are counted. */
export function trialPeriod(
  plan: PlanCalendar,
  { startDate, endDate, timeZone }: { startDate: LocalDate; endDate: LocalDate; timeZone: string },
): Period {
  const startsAt = startOfLocalDay(startDate, timeZone);
  const span = { index: 0, startDate, endDate, startsAt, endsAt: startOfLocalDay(endDate, timeZone) };
  const trial = { noticeAt: Math.max(startsAt, startOfLocalDay(addDays(endDate, -NOTICE_DAYS), timeZone)) };
  const days = daysBetween(startDate, endDate);
  return { ...span, days, timeZone, anchorDate: anchorOf(plan, endDate), billing: span, trial };
}

/** The day on which a trial ends that begins on `startDate`: as it is asked for, else by the plan; null for none. */
export function trialEnd(
  startDate: LocalDate,
  asked: { days?: number | undefined; endsOn?: LocalDate | undefined },
  plan: { trial?: PlanTrial },
): LocalDate | null {
  if (asked.endsOn !== undefined && asked.endsOn <= startDate) {
    throw invalid({ trial_ends_at: [`Must be after the start date, ${startDate}.`] });
  }
  const days = asked.days ?? plan.trial?.days ?? 0;
  return asked.endsOn ?? (days > 0 ? addDays(startDate, days) : null);
}

/**
 * A trial that ends on another day (spec/subscriptions#trials). `today` is the customer's date.
 * @throws DomainError `invalid` for a day that is not after today; `conflict` where no trial goes on, or it is over.
 */
export function movedTrial(
  plan: PlanCalendar,
  { trial, startDate, endsAt, timeZone }: Period,
  endDate: LocalDate,
  { at, today }: { at: Instant; today: LocalDate },
): Period {
  if (!trial || at >= endsAt) throw conflict('The subscription has no trial that goes on.');
  const earliest = today < startDate ? startDate : today;
  if (endDate <= earliest) throw invalid({ trial_ends_at: [`Must be after ${earliest}.`] });
  return trialPeriod(plan, { startDate, endDate, timeZone });
}
