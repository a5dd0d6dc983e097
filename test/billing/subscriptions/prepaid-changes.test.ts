import { describe, expect, it } from 'vitest';
import { periodOf } from '../../../billing/periods/periods.ts';
import type { Component } from '../../../billing/pricing/rating.ts';
import {
  assertNotBelowUsed,
  type PrepaidChange,
  periodOfPrepaidChange,
  prepaidChangeLine,
  prepaidUnitsIn,
  priceOfPrepaidChange,
} from '../../../billing/subscriptions/prepaid-changes.ts';
import type { SubscriptionStatus } from '../../../billing/subscriptions/states.ts';
import { decimal } from '../../../core/decimal.ts';
import { component, plan, plannedCancelAt, tiers } from '../fixtures.ts';

const TERMS = {
  startDate: '2026-03-01',
  billingPeriod: 'monthly',
  usagePeriod: 'billing_period',
  anchorDate: null,
  timeZone: 'UTC',
} as const;
const period = periodOf(TERMS, 0);

function changeOf(over: Partial<Component>, before: string, after: string): PrepaidChange {
  const numbers = { before: decimal(before), after: decimal(after) };
  return {
    subscriptionId: 'sub_1',
    plan: plan(),
    component: component(over),
    metricName: 'Calls',
    period,
    ...numbers,
  };
}

describe('what a change of prepaid units costs', () => {
  const volume = { pricingModel: 'volume', overagePrice: null, tiers: tiers(['100', '1'], [null, '0.5']) } as const;
  it.each([
    ['per unit', {}, '100', '150', '5'],
    ['fewer', {}, '150', '100', '-5'],
    ['none before', {}, '0', '10', '1'],
    ['none after', {}, '10', '0', '-1'],
    ['the same', {}, '10', '10', '0'],
    ['within the free tier', { freeTier: decimal(200) }, '100', '150', '0'],
    ['out of the free tier', { freeTier: decimal(120) }, '100', '150', '3'],
    // 0.1 * 0.05 = 0.005 is 0.01, 0.1 * 0.14 = 0.014 is 0.01: together they are 0.01, and not 0.01 + 0.009
    ['each price is rounded', {}, '0.05', '0.14', '0'],
    ['packages', { pricingModel: 'package', packageSize: decimal(100) }, '100', '101', '0.1'],
    // 100 at 1, or 101 at 0.5
    ['more for less, by volume', volume, '100', '101', '-49.5'],
    ['less for more, by volume', volume, '101', '100', '49.5'],
  ] as [string, Partial<Component>, string, string, string][])('%s', (_, over, before, after, price) => {
    expect(priceOfPrepaidChange(changeOf(over, before, after), 2).toFixed()).toBe(price);
  });

  it('is a line for the period of the units', () => {
    const line = prepaidChangeLine(changeOf({ freeTier: decimal(120) }, '1000', '1500'), 2);
    expect(line).toMatchObject({
      type: 'proration',
      description: 'Calls: prepaid units from 1,000 to 1,500',
      metricId: 'metric_1',
      periodStart: period.startsAt,
      periodEnd: period.endsAt,
    });
    expect([line.quantity, line.billableQuantity, line.unitPrice, line.amount].map(String)).toEqual([
      '500',
      '500',
      '0.1',
      '50',
    ]);
  });
});

it('the latest choice that holds in a period counts, else the component’s own', () => {
  const of = component({ prepaidUnits: decimal(5) });
  const choices = [
    { metricId: 'metric_1', units: decimal(30), fromPeriod: 3 },
    { metricId: 'metric_1', units: decimal(10), fromPeriod: 1 },
    { metricId: 'metric_2', units: decimal(99), fromPeriod: 0 },
  ];
  expect([0, 1, 2, 3, 4].map((index) => prepaidUnitsIn(of, choices, index).toNumber())).toEqual([5, 10, 10, 30, 30]);
});

describe('the period a change concerns', () => {
  const life = { status: 'active' as SubscriptionStatus, currentPeriod: period, autoRenew: true, plannedCancel: null };
  const endsHere = { plannedCancel: plannedCancelAt(period.endsAt) };
  it('is the open one, and once that is over the next', () => {
    expect(periodOfPrepaidChange(life, TERMS, period.endsAt - 1)).toBe(period);
    expect(periodOfPrepaidChange(life, TERMS, period.endsAt).index).toBe(1);
    expect(periodOfPrepaidChange({ ...life, autoRenew: false }, TERMS, period.endsAt - 1)).toBe(period);
    expect(periodOfPrepaidChange({ ...life, ...endsHere }, TERMS, period.startsAt)).toBe(period);
  });

  it.each([
    ['active', { autoRenew: false }, period.endsAt],
    ['active', endsHere, period.endsAt],
    ...(['pending', 'paused', 'canceled', 'expired'] as const).map((status) => [status, { status }, 0] as const),
  ] as const)('is refused, naming the state %s: %o', (state, over, at) => {
    expect(() => periodOfPrepaidChange({ ...life, ...over }, TERMS, at)).toThrow(
      expect.objectContaining({ code: 'conflict', message: expect.stringMatching(`The subscription is ${state}`) }),
    );
  });
});

it('fewer than are used are refused; more never are', () => {
  const judge = (before: number, after: number, used: number) => () =>
    assertNotBelowUsed({ before: decimal(before), after: decimal(after) }, decimal(used));
  expect(judge(100, 40, 40)).not.toThrow();
  expect(judge(100, 40, 41)).toThrow('active and has used 41 units');
  expect(judge(100, 40, -3)).not.toThrow();
  expect(judge(100, 110, 200)).not.toThrow();
});
