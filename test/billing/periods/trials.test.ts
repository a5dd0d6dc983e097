import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { boundaryCharges } from '../../../billing/invoices/boundary-charges.ts';
import { headOfEnd, openingPart } from '../../../billing/invoices/opening-invoice.ts';
import { limitedCharges } from '../../../billing/invoices/true-ups.ts';
import { anchorOf, BILLING_CALENDARS, USAGE_PERIODS } from '../../../billing/periods/calendars.ts';
import { periodAfter, periodOf } from '../../../billing/periods/periods.ts';
import { nextBoundary } from '../../../billing/periods/schedule.ts';
import { MAX_TRIAL_DAYS, trialEnd, trialEndErrors, trialPeriod } from '../../../billing/periods/trials.ts';
import type { Subscription } from '../../../billing/subscriptions/subscription.ts';
import { successionOf, successorPeriod } from '../../../billing/subscriptions/switch.ts';
import { withTrialEnd } from '../../../billing/subscriptions/trial-end.ts';
import { decimal } from '../../../core/decimal.ts';
import { addDays } from '../../../core/instants.ts';
import { howMany } from '../../how-many.ts';
import { at, boundaryOf, component, plan, subscription, wholeOf } from '../fixtures.ts';

/** Trials (spec/subscriptions#trials). */
const FROM = { startDate: '2027-01-17', endDate: '2027-01-31', timeZone: 'UTC' };
const datesAfter = (of: ReturnType<typeof plan>, count: number) => {
  let period = trialPeriod(of, FROM);
  return Array.from({ length: count }, () => {
    period = periodAfter({ ...of, timeZone: 'UTC' }, period);
    return [period.startDate, period.endDate, period.days, period.index, period.billing.index];
  });
};

describe('billing periods are counted from the end of the trial', () => {
  test('by fixed days', () => {
    expect(datesAfter(plan(), 2)).toEqual([
      ['2027-01-31', '2027-03-02', 30, 1, 1],
      ['2027-03-02', '2027-04-01', 30, 2, 2],
    ]);
  });

  test('by anniversary from that day, by the calendar from its next anchor', () => {
    expect(datesAfter(plan({ billingCalendar: 'anniversary' }), 2)).toEqual([
      ['2027-01-31', '2027-02-28', 28, 1, 1],
      ['2027-02-28', '2027-03-31', 31, 2, 2],
    ]);
    expect(datesAfter(plan({ billingCalendar: 'calendar', anchorDay: 10 }), 2)).toEqual([
      ['2027-01-31', '2027-02-10', 31, 1, 1],
      ['2027-02-10', '2027-03-10', 28, 2, 2],
    ]);
  });
});

test('by every calendar they are those of who subscribes on that day, and tile time with the trial', () => {
  const sold = fc.record({
    billingPeriod: fc.constantFrom('monthly' as const, 'quarterly' as const, 'annual' as const),
    billingCalendar: fc.constantFrom(...BILLING_CALENDARS),
    usagePeriod: fc.constantFrom(...USAGE_PERIODS),
    day: fc.integer({ min: 1, max: 31 }),
    startDate: fc.integer({ min: 0, max: 36_524 }).map((n) => addDays('2000-01-01', n)),
    days: fc.integer({ min: 1, max: MAX_TRIAL_DAYS }),
    timeZone: fc.constantFrom('UTC', 'Africa/Cairo', 'Pacific/Apia', 'America/Santiago', 'Europe/Paris'),
  });
  const property = fc.property(sold, ({ day, startDate, days, timeZone, ...one }) => {
    const calendar = { ...one, anchorDay: one.billingCalendar === 'calendar' ? day : null };
    const endDate = addDays(startDate, days);
    const terms = { ...calendar, timeZone };
    let last = trialPeriod(calendar, { startDate, endDate, timeZone });
    let untried = periodOf({ ...terms, startDate: endDate, anchorDate: anchorOf(calendar, endDate) }, 0);
    for (let k = 0; k < 14; k++) {
      const period = periodAfter(terms, last);
      expect(period.startsAt).toBe(last.endsAt);
      const counted = { index: untried.index + 1, billing: { ...untried.billing, index: untried.billing.index + 1 } };
      expect(period).toEqual({ ...untried, ...counted });
      [last, untried] = [period, periodAfter(terms, untried)];
    }
  });
  fc.assert(property, { numRuns: howMany(500, 2_000), seed: 20_270_117 });
});

test('it ends as it is asked for, else by the plan', () => {
  const offering = { trial: { days: 14, billsUsage: false } };
  expect(trialEnd('2027-01-17', {}, offering)).toBe('2027-01-31');
  expect(trialEnd('2027-01-17', { days: 0 }, offering)).toBeNull();
  expect(trialEnd('2027-01-17', { days: 1 }, {})).toBe('2027-01-18');
  expect(trialEnd('2027-01-17', { endsOn: '2027-02-01' }, offering)).toBe('2027-02-01');
});

test('its end is told three days before it, of a shorter one when it begins', () => {
  const position = { status: 'active', pendingInvoice: null, plannedCancel: null, plannedSwitch: null } as const;
  const rest = { resumesAt: null, billsAt: null };
  const openPeriod = trialPeriod(plan(), FROM);
  const notice = { kind: 'trial_will_end', dueAt: at('2027-01-28T00:00:00Z'), periodIndex: 0 };
  expect(nextBoundary({ ...position, ...rest, openPeriod })).toEqual(notice);
  const told = { ...openPeriod, trial: { noticeAt: null } };
  expect(nextBoundary({ ...position, ...rest, openPeriod: told })?.kind).toBe('close_period');
  const short = trialPeriod(plan(), { ...FROM, endDate: '2027-01-18' });
  expect(short.trial?.noticeAt).toBe(short.startsAt);
});

test.each([
  ['2027-01-20', 'Must be after 2027-01-20.'],
  ['2027-01-21', undefined],
  ['2029-01-16', undefined],
  ['2029-01-17', 'Must be by 2029-01-16, 730 days after the start date.'],
])('it may end after today and at most 730 days after it began: on %s', (endsOn, message) => {
  const errors = trialEndErrors(endsOn, { startDate: '2027-01-17', today: '2027-01-20' });
  expect(errors).toEqual(message === undefined ? {} : { trial_ends_at: [message] });
});

test('one that has yet to begin ends after its first day', () => {
  const pending = { startDate: '2027-02-01', today: '2027-01-20' };
  expect(trialEndErrors('2027-02-01', pending)).toEqual({ trial_ends_at: ['Must be after 2027-02-01.'] });
  expect(trialEndErrors('2027-02-02', pending)).toEqual({});
});

describe('another end', () => {
  const noon = { at: at('2027-01-20T12:00:00Z'), timeZone: 'UTC' };
  const tried = (more: Partial<Subscription> = {}) =>
    subscription({
      ...plan({ billingCalendar: 'anniversary' }),
      ...{ status: 'active', startDate: FROM.startDate, trialEndsOn: FROM.endDate },
      currentPeriod: trialPeriod(plan({ billingCalendar: 'anniversary' }), FROM),
      ...more,
    });
  const refusal = (code: string) => expect.objectContaining({ code });

  test('moves the periods behind it, and what was planned for it, but not an end on a date', () => {
    const { endsAt } = tried().currentPeriod;
    const cancel = { flatFeeBehavior: 'charge_full', billUsage: true, invoicingBehavior: 'invoice_now' } as const;
    const how = { invoicingBehavior: 'invoice_now', usageBehavior: 'reset_usage' } as const;
    const plannedSwitch = { at: endsAt, newPlanId: 'plan_2', effectiveDate: FROM.endDate, ...how };
    const planned = { plannedCancel: { at: endsAt, ...cancel }, plannedSwitch };
    const moved = withTrialEnd(tried(planned), '2027-02-15', noon);
    expect(moved.currentPeriod).toMatchObject({ endDate: '2027-02-15', days: 29, anchorDate: '2027-02-15' });
    expect(moved.currentPeriod.trial).toEqual({ noticeAt: at('2027-02-12T00:00:00Z') });
    expect(moved.trialEndsOn).toBe('2027-02-15');
    expect(moved.plannedCancel?.at).toBe(at('2027-02-15T00:00:00Z'));
    expect(moved.plannedSwitch).toMatchObject({ at: at('2027-02-15T00:00:00Z'), effectiveDate: '2027-02-15' });
    const dated = withTrialEnd(tried({ ...planned, endDate: FROM.endDate }), '2027-02-15', noon);
    expect(dated.plannedCancel?.at).toBe(endsAt);
  });

  test('is refused by its date first, then where no trial goes on', () => {
    const none = subscription();
    expect(() => withTrialEnd(none, '2027-01-20', noon)).toThrow(refusal('invalid'));
    expect(() => withTrialEnd(none, '2027-02-15', noon)).toThrow(refusal('conflict'));
    expect(() => withTrialEnd(tried({ status: 'canceled' }), '2027-02-15', noon)).toThrow(refusal('conflict'));
    const { endsAt } = tried().currentPeriod;
    expect(() => withTrialEnd(tried(), '2027-02-15', { ...noon, at: endsAt })).toThrow(refusal('conflict'));
    const over = tried({ currentPeriod: periodAfter({ ...plan(), timeZone: 'UTC' }, tried().currentPeriod) });
    expect(() => withTrialEnd(over, '2027-02-15', noon)).toThrow(refusal('conflict'));
  });
});

/** Terms of a cancel that would cost the most. */
const FULL = { flatFeeBehavior: 'charge_full', billUsage: true } as const;

describe('costs', () => {
  const ahead = plan({ chargeTiming: 'in_advance', components: [component({ prepaidUnits: decimal(10) })] });
  const ended = trialPeriod(ahead, FROM);
  const next = periodAfter({ ...ahead, timeZone: 'UTC' }, ended);

  test('nothing at its start; at its end what begins then', () => {
    const first = wholeOf(ahead, ended);
    expect(openingPart({ ...boundaryOf(ahead, { ended }), first }, { currency: 'USD' })).toBeNull();
    const boundary = { ...boundaryOf(ahead, { ended, next }), windows: [] };
    const { fees, prepaid, usages } = boundaryCharges(boundary);
    expect(fees.map(({ fee, periodStart }) => [fee.toFixed(), periodStart])).toEqual([['29', next.startsAt]]);
    expect(prepaid.map(({ units }) => units.toFixed())).toEqual(['10']);
    expect(usages).toEqual([]);
    expect(headOfEnd(boundary, 'period')).toMatchObject({ kind: 'opening', period: { index: 1 } });
  });

  test('usage where the plan bills it, without units that are prepaid later', () => {
    const boundary = boundaryOf(ahead, { ended, next, used: { metric_1: 12 } });
    const { fees, usages } = boundaryCharges(boundary);
    expect(fees).toHaveLength(1);
    expect(usages.map(({ quantity, prepaidUnits }) => [quantity.toFixed(), prepaidUnits.toFixed()])).toEqual([
      ['12', '0'],
    ]);
    expect(headOfEnd(boundary, 'period').kind).toBe('period');
  });

  test('nothing by limits, which hold from its end on', () => {
    const limits = { minimumAmount: decimal(20), maximumAmount: decimal(29) };
    const limited = plan({ ...ahead, limits, components: ahead.components.map((one) => ({ ...one, limits })) });
    const opening = limitedCharges({ ...boundaryOf(limited, { ended, next }), windows: [] });
    expect(opening.trueUps.map(({ metricId, charged }) => [metricId, charged.toFixed()])).toEqual([[null, '30']]);
    const ending = { at: at('2027-01-20T12:00:00Z'), on: '2027-01-20', ...FULL };
    expect(limitedCharges({ ...boundaryOf(limited, { ended, ending }), windows: [] }).trueUps).toEqual([]);
  });

  test('no fee where it is canceled, by any behavior', () => {
    for (const flatFeeBehavior of ['charge_prorated', 'charge_full', 'refund'] as const) {
      const ending = { at: at('2027-01-20T12:00:00Z'), on: '2027-01-20', flatFeeBehavior, billUsage: true };
      expect(boundaryCharges({ ...boundaryOf(plan(), { ended, ending }), windows: [] }).fees).toEqual([]);
    }
  });
});

test('a switch keeps it, and counts what follows by the new plan', () => {
  const old = subscription({ currentPeriod: trialPeriod(plan(), FROM) });
  const next = plan({ planId: 'plan_2', billingPeriod: 'annual', billingCalendar: 'anniversary' });
  const now = at('2027-01-20T12:00:00Z');
  expect(successionOf(old, next, now)).toBe('carries_on');
  const period = successorPeriod(old, next, now, 'UTC');
  expect(period).toMatchObject({ startDate: '2027-01-17', endDate: '2027-01-31', anchorDate: '2027-01-31' });
  expect(periodAfter({ ...next, timeZone: 'UTC' }, period).endDate).toBe('2028-01-31');
});
