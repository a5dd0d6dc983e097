import fc from 'fast-check';
import { BILLING_CALENDARS, type PlanCalendar, type UsagePeriod } from '../../../billing/periods/calendars.ts';
import { addDays } from '../../../core/instants.ts';

/** What the periods of a subscription follow from. */
export type Sold = PlanCalendar & { startDate: string; timeZone: string };

const ZONES = [
  'UTC',
  'Africa/Cairo',
  'Pacific/Apia',
  'America/Santiago',
  'Australia/Lord_Howe',
  'Europe/Paris',
] as const;

/** Any calendar, anchor and zone, from any day of a hundred years on. */
export function soldPlans(usagePeriods: readonly UsagePeriod[]): fc.Arbitrary<Sold> {
  return fc
    .record({
      billingPeriod: fc.constantFrom('monthly' as const, 'quarterly' as const, 'annual' as const),
      billingCalendar: fc.constantFrom(...BILLING_CALENDARS),
      day: fc.integer({ min: 1, max: 31 }),
      startDate: fc.integer({ min: 0, max: 36_524 }).map((n) => addDays('2000-01-01', n)),
      timeZone: fc.constantFrom(...ZONES),
      usagePeriod: fc.constantFrom(...usagePeriods),
    })
    .map(({ day, ...rest }) => ({ ...rest, anchorDay: rest.billingCalendar === 'calendar' ? day : null }));
}
