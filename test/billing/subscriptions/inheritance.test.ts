import { describe, expect, test } from 'vitest';
import { periodOf } from '../../../billing/periods/periods.ts';
import { inheritanceOf, switchCharges } from '../../../billing/subscriptions/inheritance.ts';
import type { Plan } from '../../../billing/subscriptions/subscription.ts';
import { type SwitchParties, successorOf } from '../../../billing/subscriptions/switch.ts';
import { decimal } from '../../../core/decimal.ts';
import { at, component, plan, subscription } from '../fixtures.ts';

/** 2026-03-01 to 03-31, the second period; switched on the 11th. */
const currentPeriod = periodOf(
  {
    startDate: '2026-01-30',
    billingPeriod: 'monthly',
    usagePeriod: 'billing_period',
    anchorDate: null,
    timeZone: 'UTC',
  },
  1,
);
const noon = at('2026-03-11T12:00:00Z');

const prepaying = (metricId: string, units: number) => component({ metricId, prepaidUnits: decimal(units) });
const oldPlan = plan({
  planId: 'old',
  recurringFee: decimal(30),
  components: [prepaying('calls', 6), prepaying('jobs', 4)],
});
const newPlan = (over: Partial<Plan> = {}) =>
  plan({
    planId: 'new',
    recurringFee: decimal(60),
    components: [prepaying('calls', 2), prepaying('disks', 3)],
    ...over,
  });

const old = subscription({ planId: 'old', startDate: '2026-01-30', currentPeriod });

function partiesOf(nextPlan: Plan, when = noon): SwitchParties {
  const next = successorOf(old, nextPlan, { subscriptionId: 'sub_2', at: when, timeZone: 'UTC' });
  return { old, oldPlan, next, nextPlan, switched: null, pendingOpening: null };
}

const unitsOf = (nextPlan: Plan, choices: Parameters<typeof inheritanceOf>[1] = [], when = noon) => {
  const switched = { at: when, usageBehavior: 'reset_usage' } as const;
  const { periodIndex, units, switched: left } = inheritanceOf(partiesOf(nextPlan, when), choices, switched);
  const told = units.map((one) => `${one.metricId} ${one.units}`);
  return { periodIndex, units: told, carries: left && left.plans.length > 0 };
};

// "Prepaid units move for metrics the new plan bills" (spec/subscriptions#switch): the 6 of the old plan, not the 2 of the new one.
describe('the units that go along', () => {
  test('are those of the old subscription, by its plan', () => {
    expect(unitsOf(newPlan())).toEqual({ periodIndex: 1, units: ['calls 6'], carries: true });
  });

  test('or by its choice, for the period that becomes the first one of the new', () => {
    const choices = [
      { metricId: 'calls', units: decimal(9), fromPeriod: 1 },
      { metricId: 'calls', units: decimal(0), fromPeriod: 2 },
    ];
    expect(unitsOf(newPlan(), choices)).toEqual({ periodIndex: 1, units: ['calls 9'], carries: true });
    const yearly = newPlan({ billingPeriod: 'annual' });
    expect(unitsOf(yearly, choices)).toEqual({ periodIndex: 2, units: ['calls 0'], carries: false });
    const atEnd = currentPeriod.endsAt;
    expect(unitsOf(newPlan(), choices, atEnd)).toEqual({ periodIndex: 2, units: ['calls 0'], carries: null });
  });
});

// 3 disks at 0.1 are new, and (60 - 30) * 20 / 30 = 20 is the rest of the period.
test('what is charged within a period: the units that only the new plan prepays, and the difference', () => {
  const parties = partiesOf(newPlan());
  const inheritance = inheritanceOf(parties, [], { at: noon, usageBehavior: 'reset_usage' });
  const { prepaid, proration } = switchCharges(parties, inheritance, { at: noon, places: 2, nameOf: (id) => id });
  expect(prepaid).toMatchObject([{ subscriptionId: 'sub_2', metricName: 'disks', units: decimal(3) }]);
  expect({ ...proration, amount: proration.amount.toFixed() }).toEqual({
    amount: '20',
    direction: 'charge',
    daysRemaining: 20,
    daysInPeriod: 30,
  });
});
