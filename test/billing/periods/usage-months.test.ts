import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundaryCharges } from '../../../billing/invoices/boundary-charges.ts';
import { anchorOf, PERIOD_MONTHS, USAGE_PERIODS } from '../../../billing/periods/calendars.ts';
import { type Period, periodAfter, periodOf } from '../../../billing/periods/periods.ts';
import { beginsBilling, endsBilling } from '../../../billing/periods/usage-months.ts';
import type { Plan, Subscription } from '../../../billing/subscriptions/subscription.ts';
import { successionOf, successorOf } from '../../../billing/subscriptions/switch.ts';
import { decimal } from '../../../core/decimal.ts';
import { startOfLocalDay } from '../../../core/instants.ts';
import { howMany } from '../../how-many.ts';
import { at, boundaryOf, component, plan, subscription } from '../fixtures.ts';
import { type Sold, soldPlans } from './sold-plans.ts';

/** Months of a billing period that components bill (spec/periods#usage-months). */

function periodsOf({ startDate, timeZone, ...calendar }: Sold, count: number): Period[] {
  const terms = { ...calendar, startDate, anchorDate: anchorOf(calendar, startDate), timeZone };
  const periods = [periodOf(terms, 0)];
  while (periods.length < count) periods.push(periodAfter(terms, periods.at(-1) as Period));
  return periods;
}

const YEARLY = {
  billingPeriod: 'annual',
  billingCalendar: 'anniversary',
  anchorDay: null,
  usagePeriod: 'monthly',
} as const;
const year = periodsOf({ ...YEARLY, startDate: '2027-01-01', timeZone: 'UTC' }, 14);
const [january, february, march] = year as [Period, Period, Period];
const december = year[11] as Period;

it('lie in their billing period, whose fee they are a part of', () => {
  expect(year.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
  expect(march).toMatchObject({ startDate: '2027-03-01', endDate: '2027-04-01', days: 365 });
  expect(march.billing).toMatchObject({ index: 0, startDate: '2027-01-01', endDate: '2028-01-01' });
  expect(december.endsAt).toBe(december.billing.endsAt);
  expect(year[12]?.billing).toMatchObject({ index: 1, startDate: '2028-01-01', endDate: '2029-01-01' });
});

it('end by the zone in which their billing period began', () => {
  const terms = { ...YEARLY, startDate: '2027-01-01', timeZone: 'Europe/Paris' };
  expect(periodAfter(terms, february)).toMatchObject({ timeZone: 'UTC', endsAt: march.endsAt });
  const renewed = periodAfter(terms, december);
  expect(renewed).toMatchObject({ timeZone: 'Europe/Paris', startsAt: december.endsAt });
  expect(renewed.billing.startsAt).toBe(december.endsAt);
});

describe('what their ends bill', () => {
  /** 120 a year; 10 free each month, 5 prepaid, 1 each. */
  const priced = component({ freeTier: decimal(10), overagePrice: decimal(1), prepaidUnits: decimal(12) });
  const yearly = plan({ ...YEARLY, recurringFee: decimal(120), components: [priced] });
  const addon = { addonSubscriptionId: 'a', addonId: 'addon', name: 'Support', kind: 'recurring' } as const;
  const addons = [{ ...addon, price: decimal(9), quantity: 1, from: 0, to: null, billedTo: null }];

  function billed(of: Plan, ended: Period, next: Period | null) {
    const charges = boundaryCharges({ ...boundaryOf(of, { ended, next, used: { metric_1: 25 } }), addons });
    return {
      fees: charges.fees.map(({ fee, billedDays, days, periodStart, periodEnd }) => {
        return [fee.toNumber(), billedDays, days, periodStart, periodEnd];
      }),
      prepaid: charges.prepaid.map(({ periodStart }) => periodStart),
      usage: charges.usages.map(({ quantity, periodStart, periodEnd }) => [
        quantity.toNumber(),
        periodStart,
        periodEnd,
      ]),
      addons: charges.addons.map(({ periodIndex, periodStart }) => [periodIndex, periodStart]),
    };
  }

  it('in January usage, and the units of February', () => {
    expect(billed(yearly, january, february)).toEqual({
      fees: [],
      prepaid: [february.startsAt],
      usage: [[25, january.startsAt, january.endsAt]],
      addons: [],
    });
  });

  it('in December the fee and the add-ons of the year as well', () => {
    const next = year[12] as Period;
    expect(billed(yearly, december, next)).toEqual({
      fees: [[120, 365, 365, january.startsAt, december.endsAt]],
      prepaid: [next.startsAt],
      usage: [[25, december.startsAt, december.endsAt]],
      addons: [[0, january.startsAt]],
    });
  });

  it('in advance the fee of the next year, in December alone', () => {
    const ahead = { ...yearly, chargeTiming: 'in_advance' } as const;
    const next = year[12] as Period;
    expect(billed(ahead, january, february).fees).toEqual([]);
    expect(billed(ahead, december, next).fees).toEqual([[120, 366, 366, next.startsAt, next.billing.endsAt]]);
  });

  it('a cancel on 11 March bills 69 of 365 days, 22.68, and the usage of March so far', () => {
    const ending = {
      at: at('2027-03-11T09:00:00Z'),
      on: '2027-03-11',
      flatFeeBehavior: 'charge_prorated',
      billUsage: true,
    } as const;
    const charges = boundaryCharges(boundaryOf(yearly, { ended: march, ending, used: { metric_1: 25 } }));
    expect(charges.fees.map(({ billedDays, days }) => [billedDays, days])).toEqual([[69, 365]]);
    expect(charges.usages.map(({ periodStart, periodEnd }) => [periodStart, periodEnd])).toEqual([
      [march.startsAt, ending.at],
    ]);
  });

  it('a pause of all of February costs its units and 28 days', () => {
    const pause = {
      pausedAt: february.startsAt,
      pausedOn: '2027-02-01',
      resumedAt: march.startsAt,
      resumedOn: '2027-03-01',
    };
    const pauses = [pause];
    expect(boundaryCharges(boundaryOf(yearly, { ended: january, next: february, pauses })).prepaid).toEqual([]);
    expect(boundaryCharges(boundaryOf(yearly, { ended: february, next: march, pauses })).prepaid).toHaveLength(1);
    const { fees } = boundaryCharges(boundaryOf(yearly, { ended: december, pauses }));
    expect(fees.map(({ billedDays }) => billedDays)).toEqual([337]);
  });
});

describe('a switch on 11 March', () => {
  const moment = { subscriptionId: 'sub_2', at: at('2027-03-11T09:00:00Z'), timeZone: 'UTC' };
  const old: Subscription = subscription({ ...YEARLY, startDate: '2027-01-01', currentPeriod: march });

  it('to the same months keeps the month and the year', () => {
    const pro = plan({ ...YEARLY, planId: 'pro' });
    expect(successionOf(old, pro, moment.at)).toBe('carries_on');
    const next = successorOf(old, pro, moment);
    expect(next).toMatchObject({ startDate: '2027-01-01', usagePeriod: 'monthly' });
    expect(next.currentPeriod).toEqual({ ...march, index: 0, billing: { ...march.billing, index: 0 } });
    const after = [...Array(10).keys()].reduce(
      (period) => periodAfter({ ...next, timeZone: 'UTC' }, period),
      next.currentPeriod,
    );
    expect(after).toMatchObject({ index: 10, startDate: '2028-01-01', billing: { index: 1, endDate: '2029-01-01' } });
  });

  it('to whole billing periods closes the year', () => {
    const pro = plan({ ...YEARLY, planId: 'pro', usagePeriod: 'billing_period' });
    expect(successionOf(old, pro, moment.at)).toBe('closes');
    expect(successorOf(old, pro, moment).currentPeriod).toMatchObject({
      startDate: '2027-03-11',
      endDate: '2028-03-11',
    });
  });
});

const sold = soldPlans(USAGE_PERIODS);

it('tile each billing period, which is the same with them and without, in every zone', () => {
  fc.assert(
    fc.property(sold, fc.integer({ min: 1, max: 30 }), (one, count) => {
      const { billingPeriod, timeZone } = one;
      const { startDate, ...calendar } = one;
      const terms = { ...calendar, startDate, anchorDate: anchorOf(calendar, startDate) };
      const periods = periodsOf(one, count);
      for (const [i, period] of periods.entries()) {
        const next = periods[i + 1];
        if (next) expect([next.startsAt, next.startDate]).toEqual([period.endsAt, period.endDate]);
        expect(period.startsAt).toBe(startOfLocalDay(period.startDate, timeZone));
        expect(period.endsAt).toBe(startOfLocalDay(period.endDate, timeZone));
        expect(next && beginsBilling(next)).toBe(next && endsBilling(period));
        const whole = periodOf({ ...terms, usagePeriod: 'billing_period' }, period.billing.index);
        expect(period.billing).toEqual(whole.billing);
        expect(period.days).toBe(whole.days);
      }
      const months = one.usagePeriod === 'monthly' ? PERIOD_MONTHS[billingPeriod] : 1;
      const inSecond = periods.filter(({ billing }) => billing.index === 1);
      if (periods.at(-1)?.billing.index === 2) expect(inSecond).toHaveLength(months);
      else expect(inSecond.length).toBeLessThanOrEqual(months);
    }),
    { numRuns: howMany(200, 2_000), seed: 20_270_228 },
  );
});
