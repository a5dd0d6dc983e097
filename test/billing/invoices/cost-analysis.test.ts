import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyseCosts } from '../../../billing/invoices/cost-analysis.ts';
import { lateLine, usageLine } from '../../../billing/invoices/invoice-lines.ts';
import {
  daysOfPeriod,
  type Revenue,
  type RunningQuantity,
  revenueByDay,
} from '../../../billing/invoices/revenue-days.ts';
import type { Component } from '../../../billing/pricing/rating.ts';
import { type Decimal, decimal, roundHalfAwayFromZero, sum, toPlain, ZERO } from '../../../core/decimal.ts';
import { addDays } from '../../../core/instants.ts';
import { at, component, tiers } from '../fixtures.ts';
import { anyComponent } from '../pricing/pricing-fixtures.ts';

const DAY = '2026-11-01';
const day = (n: number) => addDays(DAY, n);
const ORIGIN = { subscriptionId: 'sub_1', planId: 'plan_1', version: 1, periodStart: 0, periodEnd: 1 };

function told(revenue: Revenue, places = 2): string[] {
  return [...revenueByDay(revenue, places)].map(([date, amount]) => `${date.slice(8)} ${toPlain(amount)}`);
}

const running = (...totals: [number, string][]): RunningQuantity[] =>
  totals.map(([n, quantity]) => ({ date: day(n), quantity: decimal(quantity) }));
const days = (n: number) => Array.from({ length: n }, (_, i) => day(i));
const usage = (of: Component, amount: string, totals: RunningQuantity[], prepaidUnits = ZERO): Revenue => {
  return { amount: decimal(amount), falls: 'by_usage', component: of, prepaidUnits, running: totals };
};

describe('revenueByDay', () => {
  it('spreads a fee evenly, by cumulative rounding (spec/cost-analysis)', () => {
    expect(told({ amount: decimal(10), falls: 'evenly', days: days(3) })).toEqual(['01 3.33', '02 3.34', '03 3.33']);
    expect(told({ amount: decimal(10), falls: 'evenly', days: days(3) }, 0)).toEqual(['01 3', '02 4', '03 3']);
    expect(told({ amount: decimal('-0.02'), falls: 'evenly', days: days(4) })).toEqual([
      '01 -0.01',
      '02 0',
      '03 -0.01',
      '04 0',
    ]);
  });

  it('has a one-time charge on its day', () => {
    expect(told({ amount: decimal(5), falls: 'once', day: day(6) })).toEqual(['07 5']);
  });

  it('has usage on the days that caused it, "a tiered price by running total"', () => {
    const tiered = component({
      pricingModel: 'tiered',
      overagePrice: null,
      freeTier: decimal(5),
      tiers: tiers(['10', '1'], [null, '0.5']),
    });
    // 4 of 5 free; 8: 3 at 1; 20: 15, so 7 more at 1 and 5 at 0.5
    expect(told(usage(tiered, '12.5', running([0, '4'], [3, '8'], [9, '20'])))).toEqual(['01 0', '04 3', '10 9.5']);
    const per = component({ overagePrice: decimal('0.5') });
    // 10 units were paid ahead (5): only what goes beyond earns
    expect(told(usage(per, '2', running([0, '6'], [1, '12'], [2, '14']), decimal(10)))).toEqual([
      '01 0',
      '02 1',
      '03 1',
    ]);
  });

  it('may take back what a bigger volume makes cheaper', () => {
    const volume = component({ pricingModel: 'volume', overagePrice: null, tiers: tiers(['10', '1'], [null, '0.5']) });
    expect(told(usage(volume, '6', running([0, '10'], [1, '12'])))).toEqual(['01 10', '02 -4']);
  });

  it('has late usage on the days of its events: what they changed of them', () => {
    const of = component({ overagePrice: decimal(1), freeTier: decimal(5) });
    const before = running([0, '4'], [2, '8']);
    const after = running([0, '4'], [1, '7'], [2, '11']);
    const late: Revenue = {
      amount: decimal(3),
      falls: 'by_late_usage',
      component: of,
      prepaidUnits: ZERO,
      prepaidBefore: ZERO,
      before,
      after,
    };
    // Beyond 5 free: before 0, 0, 3; now 0, 2, 6
    expect(told(late)).toEqual(['01 0', '02 2', '03 1']);
  });

  it('throws where days would not lead to what was billed', () => {
    expect(() => told(usage(component(), '1', running([0, '4'])))).toThrow('days of 0.4 for a line of 1');
    expect(told(usage(component(), '0', []))).toEqual([]);
    expect(() => told({ amount: decimal('0.005'), falls: 'evenly', days: days(3) })).toThrow('not in whole units');
  });

  it('counts the local days of a period, also one of 23 hours', () => {
    const berlin = daysOfPeriod(at('2026-03-27T23:00:00Z'), at('2026-03-29T22:00:00Z'), 'Europe/Berlin');
    expect(berlin).toEqual(['2026-03-28', '2026-03-29']);
  });
});

describe('analyseCosts', () => {
  it('gives revenue, cost and margin of each day, and their sums', () => {
    const used = new Map([
      [day(0), decimal(10)],
      [day(2), decimal(4)],
    ]);
    const analysis = analyseCosts({
      startDate: day(0),
      endDate: day(2),
      places: 2,
      revenues: [{ amount: decimal(9), falls: 'evenly', days: days(3) }],
      costMetrics: [{ metricId: 'metric_1', metricName: 'GPU', unitCost: decimal('0.25'), usage: used }],
    });
    expect(
      analysis.perDay.map(({ date, revenue, cost, margin }) => [date, ...[revenue, cost, margin].map(toPlain)]),
    ).toEqual([
      ['2026-11-01', '3', '2.5', '0.5'],
      ['2026-11-02', '3', '0', '3'],
      ['2026-11-03', '3', '1', '2'],
    ]);
    const { totalRevenue, totalCost, totalMargin, profitMargin } = analysis;
    expect([totalRevenue, totalCost, totalMargin, profitMargin].map(toPlain)).toEqual([
      '9',
      '3.5',
      '5.5',
      '0.611111111111',
    ]);
  });

  it('has a profit margin of 0 where nothing came in', () => {
    const costMetrics = [
      { metricId: 'm', metricName: 'GPU', unitCost: decimal(1), usage: new Map([[day(0), decimal(1)]]) },
    ];
    const analysis = analyseCosts({ startDate: day(0), endDate: day(0), places: 2, revenues: [], costMetrics });
    expect([analysis.totalMargin, analysis.profitMargin].map(toPlain)).toEqual(['-1', '0']);
  });
});

describe('properties', () => {
  const LENGTH = 12;
  const places = fc.constantFrom(0, 2, 3);
  const quantities = fc.array(fc.integer({ min: -50, max: 400 }), { minLength: LENGTH, maxLength: LENGTH });
  const prepaid = fc.constantFrom('0', '7').map(decimal);

  /** Running totals of what each day adds; days that add nothing are left out, as the store does. */
  function runningOf(added: number[]): RunningQuantity[] {
    let total = ZERO;
    return added.flatMap((n, i) => {
      total = total.plus(decimal(n).shiftedBy(-1));
      return n === 0 ? [] : [{ date: day(i), quantity: total }];
    });
  }
  const lastOf = (totals: RunningQuantity[]) => totals.at(-1)?.quantity ?? ZERO;
  const charge = (of: Component, prepaidUnits: Decimal) => ({
    ...ORIGIN,
    metricName: 'x',
    component: of,
    prepaidUnits,
  });

  const revenue: fc.Arbitrary<[Revenue, number]> = fc
    .tuple(anyComponent, quantities, quantities, prepaid, prepaid, places, fc.integer({ min: -9_999, max: 99_999 }))
    .chain(([of, added, late, units, prepaidBefore, digits, cents]) => {
      const amount = decimal(cents).shiftedBy(-digits);
      const [then, now] = [runningOf(added), runningOf(added.map((n, i) => n + (late[i] ?? 0)))];
      const usageOf = (value: Decimal) => ({ value, eventsCount: ZERO });
      const ofUsage = usageLine({ ...charge(of, units), timeZone: 'UTC', quantity: lastOf(then), eventsCount: ZERO });
      const lateAfter = { before: usageOf(lastOf(then)), after: usageOf(lastOf(now)), prepaidBefore };
      const ofLate = lateLine({ ...charge(of, units), ...lateAfter }, digits);
      const priced = { component: of, prepaidUnits: units };
      return fc.constantFrom<[Revenue, number]>(
        [{ amount, falls: 'evenly', days: days(LENGTH) }, digits],
        [{ amount, falls: 'once', day: day(3) }, digits],
        [
          { amount: roundHalfAwayFromZero(ofUsage.amount, digits), falls: 'by_usage', running: then, ...priced },
          digits,
        ],
        [{ amount: ofLate.amount, falls: 'by_late_usage', before: then, after: now, prepaidBefore, ...priced }, digits],
      );
    });

  it('the days of a line add up to its amount, in whole units of the currency', () => {
    fc.assert(
      fc.property(revenue, ([one, digits]) => {
        const amounts = [...revenueByDay(one, digits).values()];
        expect(sum(amounts).eq(one.amount)).toBe(true);
        expect(amounts.every((amount) => (amount.decimalPlaces() ?? 0) <= digits)).toBe(true);
      }),
    );
  });

  it('a fee never differs from its even share by a unit or more, and never changes its sign', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 100_000 }),
        fc.integer({ min: 1, max: 365 }),
        places,
        (cents, n, digits) => {
          const amount = decimal(cents).shiftedBy(-digits);
          for (const part of revenueByDay({ amount, falls: 'evenly', days: days(n) }, digits).values()) {
            expect(part.minus(amount.div(n)).abs().lte(decimal(1).shiftedBy(-digits))).toBe(true);
            expect(part.isNegative() && !part.isZero()).toBe(false);
          }
        },
      ),
    );
  });

  it('what a fee has earned up to each day is its exact share, rounded half away from zero', () => {
    const cents = fc.integer({ min: -100_000, max: 100_000 });
    fc.assert(
      fc.property(cents, fc.integer({ min: 1, max: 60 }), places, (units, n, digits) => {
        const amount = decimal(units).shiftedBy(-digits);
        const parts = [...revenueByDay({ amount, falls: 'evenly', days: days(n) }, digits).values()];
        const earned = parts.map((_, i) => toPlain(sum(parts.slice(0, i + 1))));
        expect(earned).toEqual(
          parts.map((_, i) => toPlain(roundHalfAwayFromZero(amount.times(i + 1).div(n), digits).plus(0))),
        );
      }),
    );
  });

  it("the revenue of all days is the invoices' subtotals, however the days are asked for", () => {
    const lines = fc.array(revenue, { maxLength: 6 });
    fc.assert(
      fc.property(lines, fc.integer({ min: 0, max: LENGTH - 2 }), (made, cut) => {
        const revenues = made.filter(([, digits]) => digits === 2).map(([one]) => one);
        const asked = (startDate: string, endDate: string) =>
          analyseCosts({ startDate, endDate, places: 2, revenues, costMetrics: [] }).totalRevenue;
        const subtotal = sum(revenues.map(({ amount }) => amount));
        expect(asked(day(0), day(LENGTH - 1)).eq(subtotal)).toBe(true);
        expect(
          asked(day(0), day(cut))
            .plus(asked(day(cut + 1), day(LENGTH - 1)))
            .eq(subtotal),
        ).toBe(true);
      }),
    );
  });
});
