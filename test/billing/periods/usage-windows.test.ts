import { describe, expect, test } from 'vitest';
import { shareUsage, unitsLeft, unitsUsed, windowsOfMetric } from '../../../billing/periods/usage-windows.ts';
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
      ...shared.windows.map(
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

  const window = { planId: 'old', version: 1, metricId: 'a', startsAt: 0, endsAt: 50, prepaidUnits: decimal(5) };

  // "Prepaid units move for metrics the new plan bills": what was used before is used.
  test('units left', () => {
    const left = (units: number, ...used: [value: number, movesUnits?: boolean, units?: number][]) => {
      const windows = used.map(([, movesUnits = true, of = 5]) => ({
        ...window,
        movesUnits,
        prepaidUnits: decimal(of),
      }));
      const values = used.map(([value]) => decimal(value));
      return unitsLeft(decimal(units), windows, values).toFixed();
    };
    expect(left(5)).toBe('5');
    expect(left(5, [3])).toBe('2');
    expect(left(5, [3], [4])).toBe('0');
    expect(left(5, [-3], [1])).toBe('4');
    expect(left(5, [3], [4, false])).toBe('5');
    // "Usage up to them is not billed again" (spec/plans#versions), and what was beyond was billed: it uses none of units paid later.
    expect(left(5, [4, true, 0])).toBe('5');
    expect(left(8, [7, true, 5])).toBe('3');
    expect(left(5, [3], [0, false])).toBe('5');
    expect(left(5, [4], [0, true, 2])).toBe('1');
  });

  test('what is used of them now: before switches, as far as the units moved on, and since', () => {
    const ofMetric = (metricId: string, movesUnits = true) => {
      const left = { plans: [], windows: [{ ...window, movesUnits }], usageFrom: { all: 0, metrics: { a: 50 } } };
      return windowsOfMetric(left, { planId: 'new', version: 1 }, metricId, { startsAt: 0, endsAt: 90 });
    };
    const used = (moves: boolean, ...values: number[]) =>
      unitsUsed(ofMetric('a', moves), values.map(decimal)).toFixed();
    const told = (windows: ReturnType<typeof ofMetric>) =>
      windows.map((one) => `${one.planId} ${one.startsAt}-${one.endsAt}`);
    expect(told(ofMetric('a'))).toEqual(['old 0-50', 'new 50-90']);
    expect([used(true, 3, 4), used(true, 9, 4), used(false, 3, 4), used(true, 3, -4)]).toEqual(['7', '9', '4', '3']);
    expect(told(ofMetric('b'))).toEqual(['new 0-90']);
    expect(unitsUsed(ofMetric('b'), [decimal(2)]).toFixed()).toBe('2');
    const unswitched = windowsOfMetric(null, { planId: 'new', version: 1 }, 'a', { startsAt: 7, endsAt: 9 });
    expect(told(unswitched)).toEqual(['new 7-9']);
  });

  // "Prepaid units move for metrics the new plan bills" (spec/subscriptions#switch): else they end, also where nothing could be used of them.
  test('units that end at the instant at which they came', () => {
    const from = { all: 0, metrics: { a: 100 } };
    const withoutA = plan({ planId: 'new', components: [b] });
    const terms = { behavior: 'transfer_to_new_subscription', at: 100, unitsOf: () => decimal(5) } as const;
    const { windows } = shareUsage(from, old, withoutA, terms);
    expect(windows).toMatchObject([{ metricId: 'a', startsAt: 100, endsAt: 100, movesUnits: false }]);
    const noUnits = { ...terms, unitsOf: () => decimal(0) };
    expect(shareUsage(from, old, withoutA, noUnits).windows).toEqual([]);
  });
});
