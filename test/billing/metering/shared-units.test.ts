import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lateLine, usageLine } from '../../../billing/invoices/invoice-lines.ts';
import type { UsageValue } from '../../../billing/metering/aggregate.ts';
import type { BilledUsage } from '../../../billing/metering/billed-usage.ts';
import { lateCharges, lateUsage } from '../../../billing/metering/late-usage.ts';
import { unitsLeft } from '../../../billing/periods/usage-windows.ts';
import { type BillingRules, planKey } from '../../../billing/state/billing-rules.ts';
import { type Decimal, decimal, roundHalfAwayFromZero, sum, toPlain, ZERO } from '../../../core/decimal.ts';
import { component, NO_RULES, plan } from '../fixtures.ts';

const UNITS = decimal(100);
const usageOf = (value: number): UsageValue => ({ value: decimal(value), eventsCount: decimal(value) });

/** A period of a subscription in parts, one for each price: switches that reset usage lie between them, its units move on. */
function fixture(prices: readonly string[]) {
  const plans = prices.map((price, i) =>
    plan({ planId: `plan_${i}`, components: [component({ overagePrice: decimal(price), prepaidUnits: UNITS })] }),
  );
  const last = plans.length - 1;
  const windows = plans.slice(0, last).map(({ planId, version }, i) => {
    return { planId, version, metricId: 'metric_1', startsAt: i, endsAt: i + 1, prepaidUnits: UNITS, movesUnits: true };
  });
  const rules: BillingRules = {
    ...NO_RULES,
    plans: Object.fromEntries(plans.map((one) => [planKey(one), one])),
    metrics: { metric_1: { metricId: 'metric_1', metricName: 'Calls' } as never },
    switched: { sub_1: { plans: [], windows, usageFrom: { all: last, metrics: {} } } },
  };
  const leftAt = (i: number, values: readonly number[]) => unitsLeft(UNITS, windows.slice(0, i), values.map(decimal));

  /** What each part costs, billed at once. */
  function billAtOnce(values: readonly number[]): Decimal {
    const amounts = plans.map(({ planId, version, components: [of = component()] }, i) => {
      const origin = {
        subscriptionId: 'sub_1',
        planId,
        version,
        periodStart: i,
        periodEnd: i + 1,
        timeZone: 'UTC',
        metricName: 'Calls',
      };
      const { value: quantity, eventsCount } = usageOf(values[i] ?? 0);
      return usageLine({ ...origin, component: of, quantity, eventsCount, prepaidUnits: leftAt(i, values) }).amount;
    });
    return sum(amounts.map((amount) => roundHalfAwayFromZero(amount, 2)));
  }

  /** The lines of late usage that make of what was billed for `before` what has become `after`. */
  function linesOf(before: readonly number[], after: readonly number[]) {
    const billed = plans.map(({ planId, version }, i): BilledUsage => {
      const of = { subscriptionId: 'sub_1', metricId: 'metric_1', planId, version, timeZone: 'UTC', chargedRate: null };
      return { ...of, startsAt: i, endsAt: i + 1, prepaidUnits: leftAt(i, before), usage: usageOf(before[i] ?? 0) };
    });
    const watermarks = [{ subscriptionId: 'sub_1', countedTo: 1n, startsAt: 0, endsAt: last + 1 }];
    const late = lateUsage(watermarks, billed, rules).by(after.map(usageOf));
    return lateCharges(late).map((charge) => lateLine(charge, 2));
  }
  return { billAtOnce, linesOf };
}

const told = (lines: ReturnType<ReturnType<typeof fixture>['linesOf']>) =>
  lines.map((line) => `${line.periodStart}: x${toPlain(line.quantity ?? ZERO)} ${toPlain(line.amount)}`);

describe('prepaid units that parts of a period share (spec/prepaid-units#shared-by-a-period)', () => {
  it('30 of late usage in the first part cost 30 more, in the part that has fewer units left', () => {
    const { billAtOnce, linesOf } = fixture(['1', '1']);
    expect(toPlain(billAtOnce([60, 60]))).toBe('20');
    expect(toPlain(billAtOnce([90, 60]))).toBe('50');
    const lines = linesOf([60, 60], [90, 60]);
    expect(told(lines)).toEqual(['0: x30 0', '1: x0 30']);
    expect(lines.map(({ description }) => description)).toEqual([
      'Calls: late usage, 30 units',
      'Calls: 10 prepaid units left instead of 40 by late usage',
    ]);
    expect(told(fixture(['1', '2']).linesOf([60, 60], [90, 60]))).toEqual(['0: x30 0', '1: x0 60']);
  });

  it('what comes late for the last part takes nothing from the others', () => {
    expect(told(fixture(['1', '1']).linesOf([60, 60], [60, 70]))).toEqual(['1: x10 10']);
  });

  it('what is taken back leaves units for the later parts', () => {
    expect(told(fixture(['1', '1']).linesOf([90, 60], [60, 60]))).toEqual(['0: x-30 0', '1: x0 -30']);
  });

  it('however late it comes, and in however many steps, it costs what it would have cost in time', () => {
    const parts = fc.integer({ min: 1, max: 4 }).chain((count) => {
      const of = <T>(one: fc.Arbitrary<T>) => fc.array(one, { minLength: count, maxLength: count });
      return fc.tuple(
        of(fc.constantFrom('1', '2', '0.005')),
        fc.array(of(fc.nat(150)), { minLength: 2, maxLength: 5 }),
      );
    });
    fc.assert(
      fc.property(parts, ([prices, seen]) => {
        const { billAtOnce, linesOf } = fixture(prices);
        const late = seen.slice(1).flatMap((after, i) => linesOf(seen[i] ?? [], after));
        const inAll = billAtOnce(seen[0] ?? []).plus(sum(late.map(({ amount }) => amount)));
        expect(toPlain(inAll)).toBe(toPlain(billAtOnce(seen.at(-1) ?? [])));
      }),
    );
  });
});
