import type { FieldMessages } from '../../core/domain-error.ts';
import { addDays, daysBetween, type LocalDate, startOfLocalDay } from '../../core/instants.ts';
import { anchorOf, type PlanCalendar } from './calendars.ts';
import type { Period } from './periods.ts';

/** What a plan offers to begin with (spec/subscriptions#trials): `days` 0 to 730, 0 for none, null where it says nothing; `billsUsage`: of a trial, too. */
export type PlanTrial = { days: number | null; billsUsage: boolean };

/** The longest trial. */
export const MAX_TRIAL_DAYS = 730;

/** Of a plan that says nothing of trials nothing. */
export function triedBy(trial: PlanTrial): { trial?: PlanTrial } {
  return trial.days === null && !trial.billsUsage ? {} : { trial };
}

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
  const days = asked.days ?? plan.trial?.days ?? 0;
  return asked.endsOn ?? (days > 0 ? addDays(startDate, days) : null);
}

/** What is wrong with a day on which a trial is to end: it must be to come, for the customer whose date is `today`. */
export function trialEndErrors(
  endDate: LocalDate,
  { startDate, today }: { startDate: LocalDate; today: LocalDate },
): FieldMessages {
  const earliest = today < startDate ? startDate : today;
  const last = addDays(startDate, MAX_TRIAL_DAYS);
  if (endDate <= earliest) return { trial_ends_at: [`Must be after ${earliest}.`] };
  return endDate <= last ? {} : { trial_ends_at: [`Must be by ${last}, ${MAX_TRIAL_DAYS} days after the start date.`] };
}

/** A trial as it is kept before periods of another calendar; any other period as it is. */
export function trialBefore(plan: PlanCalendar, period: Period): Period {
  return period.trial ? { ...period, anchorDate: anchorOf(plan, period.endDate) } : period;
}
