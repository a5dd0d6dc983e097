import { describe, expect, test } from 'vitest';
import { periodOf } from '../../../billing/periods/periods.ts';
import type { SubscriptionStatus } from '../../../billing/subscriptions/states.ts';
import type { Plan, Subscription } from '../../../billing/subscriptions/subscription.ts';
import {
  decideSwitch,
  prorationOf,
  type SwitchRequest,
  successionOf,
  successorOf,
  switchCharge,
  withPlannedCancel,
} from '../../../billing/subscriptions/switch.ts';
import { decimal } from '../../../core/decimal.ts';
import { DomainError } from '../../../core/domain-error.ts';
import { at, plan, plannedCancelAt, plannedSwitchAt, subscription } from '../fixtures.ts';

/** 2026-03-01 to 03-31, 30 days. */
const period = periodOf(
  {
    startDate: '2026-03-01',
    billingPeriod: 'monthly',
    usagePeriod: 'billing_period',
    anchorDate: null,
    timeZone: 'UTC',
  },
  0,
);
const noon = at('2026-03-11T12:00:00Z');
const feeOf = (planId: string, fee: number | string, over: Partial<Plan> = {}) =>
  plan({ planId, name: planId, recurringFee: decimal(fee), components: [], ...over });
const [basic, pro] = [feeOf('basic', 30), feeOf('pro', 60)];

describe('decideSwitch', () => {
  const decide = (
    over: Partial<Subscription>,
    request: Partial<SwitchRequest>,
    newPlan: Plan | undefined = pro,
    now = noon,
  ) => {
    const asked: SwitchRequest = {
      newPlanId: 'pro',
      effectiveDate: 'immediately',
      invoicingBehavior: 'add_to_next_invoice',
      usageBehavior: 'transfer_to_new_subscription',
      ...request,
    };
    const subject = { subscription: subscription(over), currency: 'USD', newPlan, heldPlanIds: ['held'] };
    try {
      const decision = decideSwitch(subject, asked, { at: now, timeZone: 'UTC' });
      return decision.kind === 'planned' ? decision.switch.at : decision.kind;
    } catch (error) {
      if (error instanceof DomainError) return error.code;
      throw error;
    }
  };

  // "effective_date later than today: pending_change; equal to the period's end date: no proration; past or after the period
  // end: 422 ... null withdraws it" (spec/subscriptions#switch)
  test.each([
    ['immediately', 'now'],
    ['2026-03-11', 'now'],
    ['2026-03-12', at('2026-03-12T00:00:00Z')],
    ['2026-03-31', period.endsAt],
    ['2026-03-10', 'invalid'],
    ['2026-04-01', 'invalid'],
    [null, 'withdrawn'],
  ] as const)('active, %s: %s', (effectiveDate, decision) => {
    expect(decide({}, { effectiveDate })).toBe(decision);
  });

  test('a period that is over and waits for its closing is switched with that', () => {
    expect(decide({}, {}, pro, period.endsAt + 5)).toBe(period.endsAt);
  });

  // "409 unless active", whatever is asked; "while paused, switch ... are 409"
  test.each(['pending', 'paused', 'canceled', 'expired'] satisfies SubscriptionStatus[])('%s is refused', (status) => {
    for (const effectiveDate of ['immediately', '2026-03-11', '2026-03-12', '2026-03-31', null]) {
      expect(decide({ status }, { effectiveDate })).toBe('conflict');
    }
  });

  // "Order of checks: ... 400, 422, 404, 409" (spec/api#errors)
  test.each([
    ['the same plan', {}, { newPlanId: 'basic', effectiveDate: '2026-01-01' }, basic, 'contradiction'],
    ['the same plan of one that has ended', { status: 'canceled' }, { newPlanId: 'basic' }, basic, 'contradiction'],
    ['a plan of another currency', { status: 'paused' }, {}, feeOf('pro', 60, { currency: 'EUR' }), 'contradiction'],
    ['an archived plan', {}, {}, feeOf('pro', 60, { status: 'archived' }), 'conflict'],
    ['a plan held already', {}, { newPlanId: 'held' }, feeOf('held', 60), 'conflict'],
    [
      'on the day of a planned cancel',
      { plannedCancel: plannedCancelAt(at('2026-03-20T00:00:00Z')) },
      { effectiveDate: '2026-03-20' },
      pro,
      'conflict',
    ],
    ['before a planned cancel', { plannedCancel: plannedCancelAt(at('2026-03-20T00:00:00Z')) }, {}, pro, 'now'],
  ] as [string, Partial<Subscription>, Partial<SwitchRequest>, Plan, string][])(
    '%s',
    (_, over, request, to, outcome) => {
      expect(decide(over, request, to)).toBe(outcome);
    },
  );

  test('a plan there is not', () => {
    const subject = {
      subscription: subscription({ status: 'paused' }),
      currency: 'USD',
      newPlan: undefined,
      heldPlanIds: [],
    };
    const request = { newPlanId: 'none', effectiveDate: 'immediately' } as SwitchRequest;
    expect(() => decideSwitch(subject, request, { at: noon, timeZone: 'UTC' })).toThrow('No such plan none.');
  });
});

// "Same billing period: the new one keeps the period's boundaries ... Other billing period: the old period closes now ... and a
// new period starts today ... Different charge_timing: as with another billing period" (spec/subscriptions#switch)
test.each([
  ['monthly', 'in_arrears', noon, 'carries_on', '2026-03-01', '2026-03-31'],
  ['annual', 'in_arrears', noon, 'closes', '2026-03-11', '2027-03-11'],
  ['monthly', 'in_advance', noon, 'closes', '2026-03-11', '2026-04-10'],
  ['monthly', 'in_arrears', period.endsAt, 'at_period_end', '2026-03-31', '2026-04-30'],
  ['quarterly', 'in_advance', period.endsAt, 'at_period_end', '2026-03-31', '2026-06-29'],
] as const)('to %s %s at %i', (billingPeriod, chargeTiming, when, succession, startDate, endDate) => {
  const to = feeOf('pro', 60, { billingPeriod, chargeTiming });
  expect(successionOf(subscription(), to, when)).toBe(succession);
  const next = successorOf(subscription(), to, { subscriptionId: 'sub_2', at: when, timeZone: 'UTC' });
  expect(next).toMatchObject({ status: 'active', startDate, previousSubscriptionId: 'sub_1', createdAt: when });
  expect(next.currentPeriod).toMatchObject({ index: 0, startDate, endDate, startsAt: at(`${startDate}T00:00:00Z`) });
});

// "(new price minus old price) times (days remaining divided by days in the period), in absolute value" (interface)
test.each([
  ['30', 60, '2026-03-11', '20', 'charge', 20],
  [60, 30, '2026-03-11', '20', 'credit', 20],
  [30, 30, '2026-03-11', '0', 'none', 20],
  [30, 60, '2026-03-01', '30', 'charge', 30],
  [0, 10, '2026-03-30', '0.33', 'charge', 1],
  // 0.15 * 1 / 30 = 0.005: half away from zero
  [0, '0.15', '2026-03-30', '0.01', 'charge', 1],
  ['0.14', 0, '2026-03-30', '0', 'none', 1],
])('from %s to %s on %s: %s, %s', (from, to, on, amount, direction, daysRemaining) => {
  const parties = {
    old: subscription(),
    oldPlan: feeOf('basic', from),
    next: subscription({ subscriptionId: 'sub_2' }),
    nextPlan: feeOf('pro', to),
    switched: null,
    pendingOpening: null,
  };
  const proration = prorationOf(switchCharge(parties, at(`${on}T08:00:00Z`)), 2);
  expect({ ...proration, amount: proration.amount.toFixed() }).toEqual({
    amount,
    direction,
    daysRemaining,
    daysInPeriod: 30,
  });
});

// "A planned cancel drops a switch planned at or after it" (spec/subscriptions#switch)
test.each([
  [noon + 1, noon],
  [noon, undefined],
  [noon - 1, undefined],
  [null, noon],
])('a cancel planned for %s leaves the switch at %s', (cancelAt, switchAt) => {
  const plannedCancel = cancelAt === null ? null : plannedCancelAt(cancelAt);
  const changed = withPlannedCancel(subscription({ plannedSwitch: plannedSwitchAt(noon) }), plannedCancel);
  expect(changed).toMatchObject({ plannedCancel });
  expect(changed.plannedSwitch?.at).toBe(switchAt);
});
