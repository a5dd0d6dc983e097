import { expect, test } from 'vitest';
import { decideLateUsage, type LateToCount, lateToCount } from '../../../billing/decide/late-usage.ts';
import type { LatePeriod } from '../../../billing/metering/billed-usage.ts';
import type { LimitedAmount } from '../../../billing/pricing/charges.ts';
import { decimal, ZERO } from '../../../core/decimal.ts';
import { at, component } from '../fixtures.ts';
import { ACCOUNT } from '../simulator/core-customer.ts';

/** A month for which 10 units at 0.10 were billed, and of which 25 have landed by now. */
const [STARTS, ENDS] = [at('2026-11-01T00:00:00Z'), at('2026-12-01T00:00:00Z')];
const PLAN = { subscriptionId: 'sub_1', planId: 'plan_1', version: 1 };
const usageOf = (value: number) => ({ value: decimal(value), eventsCount: decimal(value) });
const MINIMUM: LimitedAmount = {
  subscriptionId: 'sub_1',
  startsAt: STARTS,
  endsAt: ENDS,
  metricId: null,
  name: 'Pro',
  charged: decimal(1),
  limits: { minimumAmount: decimal(2), maximumAmount: null },
};

function latePeriod(limited?: LimitedAmount[]): LatePeriod {
  const prepaid = { prepaidUnits: ZERO, prepaidBefore: ZERO };
  return {
    billed: {
      ...PLAN,
      metricId: 'metric_1',
      startsAt: STARTS,
      endsAt: ENDS,
      timeZone: 'UTC',
      prepaidUnits: ZERO,
      usage: usageOf(10),
      chargedRate: ZERO,
    },
    charge: {
      ...PLAN,
      periodStart: STARTS,
      periodEnd: ENDS,
      metricName: 'Calls',
      component: component(),
      before: usageOf(10),
      after: usageOf(25),
      ...prepaid,
      ...(limited && { limited }),
    },
  };
}

const INPUT = { account: ACCOUNT, places: 2, subscriptionIds: ['sub_1'], usageCutoff: 200n, kept: [] };
const counted = (period: LatePeriod) => lateToCount([period], new Map([['sub_1', 100n]]), 200n);
const wasBilled = (late: LateToCount[]) =>
  late.map((one) => ({ ...one, was: { usage: usageOf(10), prepaidUnits: ZERO } }));

test('late usage is counted once: not by a closing whose cutoff was counted already', () => {
  expect(counted(latePeriod())).toMatchObject([{ subscriptionId: 'sub_1', usage: usageOf(25), countedFrom: 100n }]);
  expect(lateToCount([latePeriod()], new Map([['sub_1', 200n]]), 200n)).toEqual([]);
  expect(lateToCount([latePeriod()], new Map(), 200n)).toEqual([]);
});

test('the watermark advances, and the period is kept with the usage of now', () => {
  const { late, changes } = decideLateUsage({ ...INPUT, counted: wasBilled(counted(latePeriod())) });
  expect(late).toMatchObject([{ before: usageOf(10), after: usageOf(25), countedFrom: 100n, timeZone: 'UTC' }]);
  expect(changes.watermarksAdvanced).toEqual([{ subscriptionIds: ['sub_1'], countedTo: 200n }]);
  expect(changes.usageRecounted).toEqual([{ ...latePeriod().billed, usage: usageOf(25) }]);
  expect(changes.limitedAmounts).toEqual([]);
});

test('limits count from what is kept of them, and are kept with what changes', () => {
  const late = wasBilled(counted(latePeriod([MINIMUM])));
  const kept = [{ ...MINIMUM, charged: decimal('1.5') }];
  const { changes } = decideLateUsage({ ...INPUT, counted: late, kept });
  // 15 more at 0.10.
  expect(changes.limitedAmounts?.map(({ charged }) => String(charged))).toEqual(['3']);
});

test('nothing changes where there are no watermarks', () => {
  expect(decideLateUsage({ ...INPUT, subscriptionIds: [], counted: [] }).changes).toEqual({});
});
