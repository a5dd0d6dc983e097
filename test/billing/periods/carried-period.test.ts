import { describe, expect, test } from 'vitest';
import { shareUsage, unitsLeft, unitsUsed, useOfPeriod } from '../../../billing/periods/carried-period.ts';
import type { UsageBehavior } from '../../../billing/subscriptions/subscription.ts';
import { decimal } from '../../../core/decimal.ts';
import { component, plan } from '../fixtures.ts';

describe('usage before a switch', () => {
  const [a, b] = [component({ metricId: 'a', prepaidUnits: decimal(5) }), component({ metricId: 'b' })];
  const [old, next] = [
    plan({ planId: 'old', components: [a, b] }),
    plan({ planId: 'new', components: [a, component({ metricId: 'c' })] }),
  ];
  const share = (behavior: UsageBehavior, from = { all: 0, metrics: {} }) => {
    const shared = shareUsage(from, old, next, { behavior, at: 100, unitsOf: (one) => one.prepaidUnits });
    return [
      ...shared.billedByOld.map(
        (one) => `${one.metricId} ${one.startsAt}-${one.endsAt} ${one.prepaidUnits} ${one.movesUnits}`,
      ),
      shared.usageFrom,
    ];
  };

  // "transfer: the whole period's usage is rated by the new plan at its end; a metric that only the old plan bills is billed
  // by the old plan for usage before the switch, one that only the new plan bills for the whole period. reset: usage before the
  // switch is billed by the old plan, the new one starts at zero" (spec/subscriptions#switch)
  test('transfer and reset', () => {
    expect(share('transfer_to_new_subscription')).toEqual(['b 0-100 0 false', { all: 0, metrics: { b: 100 } }]);
    expect(share('reset_usage')).toEqual(['a 0-100 5 true', 'b 0-100 0 false', { all: 100, metrics: {} }]);
  });

  test('after an earlier switch: never twice, and none where nothing lies between', () => {
    const from = { all: 0, metrics: { a: 40, b: 100 } };
    expect(share('transfer_to_new_subscription', from)).toEqual([{ all: 0, metrics: { a: 40, b: 100 } }]);
    expect(share('reset_usage', from)).toEqual(['a 40-100 5 true', { all: 100, metrics: {} }]);
  });

  // "Prepaid units move for metrics the new plan bills": what was used before is used.
  test('units left', () => {
    const used = (value: number, movesUnits = true, units = 5) => {
      return { metricId: 'a', movesUnits, value: decimal(value), prepaidUnits: decimal(units) };
    };
    expect(unitsLeft(decimal(5), 'a', []).toFixed()).toBe('5');
    expect(unitsLeft(decimal(5), 'a', [used(3)]).toFixed()).toBe('2');
    expect(unitsLeft(decimal(5), 'a', [used(3), used(4)]).toFixed()).toBe('0');
    expect(unitsLeft(decimal(5), 'a', [used(-3), used(1)]).toFixed()).toBe('4');
    expect(unitsLeft(decimal(5), 'a', [used(3), used(4, false)]).toFixed()).toBe('5');
    expect(unitsLeft(decimal(5), 'b', [used(3)]).toFixed()).toBe('5');
    // "Usage up to them is not billed again" (spec/plans#versions), and what was beyond was billed: it uses none of units paid later.
    expect(unitsLeft(decimal(5), 'a', [used(4, true, 0)]).toFixed()).toBe('5');
    expect(unitsLeft(decimal(8), 'a', [used(7, true, 5)]).toFixed()).toBe('3');
    expect(unitsLeft(decimal(5), 'a', [used(3), used(0, false)]).toFixed()).toBe('5');
  });

  test('what is used of them now: before switches, as far as the units moved on, and since', () => {
    const usage = { planId: 'old', version: 1, metricId: 'a', startsAt: 0, endsAt: 50, prepaidUnits: decimal(5) };
    const carried = (movesUnits: boolean) => {
      return { stretches: [], usages: [{ ...usage, movesUnits }], usageFrom: { all: 0, metrics: { a: 50 } } };
    };
    const used = (moves: boolean, ...values: number[]) =>
      unitsUsed(useOfPeriod(carried(moves), 'a', 0), 'a', values.map(decimal)).toFixed();
    expect(useOfPeriod(carried(true), 'a', 0)).toMatchObject({ startsAt: 50, earlier: [{ endsAt: 50 }] });
    expect([used(true, 3, 4), used(true, 9, 4), used(false, 3, 4), used(true, 3, -4)]).toEqual(['7', '9', '4', '3']);
    const other = useOfPeriod(carried(true), 'b', 0);
    expect([other, unitsUsed(other, 'b', [decimal(2)]).toFixed()]).toEqual([{ startsAt: 0, earlier: [] }, '2']);
    expect(useOfPeriod(null, 'a', 7)).toEqual({ startsAt: 7, earlier: [] });
  });

  // "Prepaid units move for metrics the new plan bills" (spec/subscriptions#switch): else they end, also where nothing could be used of them.
  test('units that end at the instant at which they came', () => {
    const from = { all: 0, metrics: { a: 100 } };
    const withoutA = plan({ planId: 'new', components: [b] });
    const terms = { behavior: 'transfer_to_new_subscription', at: 100, unitsOf: () => decimal(5) } as const;
    const { billedByOld } = shareUsage(from, old, withoutA, terms);
    expect(billedByOld).toMatchObject([{ metricId: 'a', startsAt: 100, endsAt: 100, movesUnits: false }]);
    const noUnits = { ...terms, unitsOf: () => decimal(0) };
    expect(shareUsage(from, old, withoutA, noUnits).billedByOld).toEqual([]);
  });
});
