import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeInvoice } from '../../../billing/invoices/compute-invoice.ts';
import { lateLine, usageLine } from '../../../billing/invoices/invoice-lines.ts';
import type { LateCharge } from '../../../billing/pricing/charges.ts';
import type { Component } from '../../../billing/pricing/rating.ts';
import { type Decimal, decimal, roundHalfAwayFromZero, sum, toPlain, ZERO } from '../../../core/decimal.ts';
import { at, component, tiers } from '../fixtures.ts';

const ORIGIN = {
  subscriptionId: 'sub_1',
  planId: 'plan_1',
  version: 3,
  periodStart: at('2026-11-01T00:00:00Z'),
  periodEnd: at('2026-12-01T00:00:00Z'),
};
const usageOf = (value: Decimal) => ({ value, eventsCount: value.abs() });

function late(before: string, after: string, of: Component, prepaid = '0'): LateCharge {
  return {
    ...ORIGIN,
    metricName: 'API calls',
    component: of,
    before: usageOf(decimal(before)),
    after: usageOf(decimal(after)),
    prepaidUnits: decimal(prepaid),
    prepaidBefore: decimal(prepaid),
  };
}

const perUnit = component({ overagePrice: decimal('0.1'), freeTier: decimal(10) });
const volume = component({ pricingModel: 'volume', overagePrice: null, tiers: tiers(['10', '1'], [null, '0.5']) });
const packages = component({ pricingModel: 'package', packageSize: decimal(10), overagePrice: decimal(3) });
const tenth = component({ overagePrice: decimal('0.005') });

// "an event that arrives for a period already billed changes that period's charge; the signed difference, by the plan
// version of that period, is a late_usage line (quantity = the signed change)" (spec/invoices#late-usage)
describe('a late_usage line', () => {
  it.each<[string, LateCharge, string, string]>([
    ['per unit beyond the free tier', late('20', '25', perUnit), '5', '0.5'],
    ['within the free tier: a line, no money', late('2', '7', perUnit), '5', '0'],
    ['across the end of the free tier', late('8', '13', perUnit), '5', '0.3'],
    ['a sum that shrinks', late('20', '15', perUnit), '-5', '-0.5'],
    ['volume: the whole quantity gets cheaper', late('10', '15', volume), '5', '-2.5'],
    ['package: inside one that has begun', late('11', '19', packages), '8', '0'],
    ['package: one more begins', late('19', '21', packages), '2', '3'],
    ['within the prepaid units', late('12', '15', perUnit, '20'), '3', '0'],
    ['beyond the prepaid units', late('15', '25', perUnit, '20'), '10', '0.5'],
    // round(0.005) = 0.01 was billed for one; two cost 0.01
    ['both charges are rounded, so that they add up', late('1', '2', tenth), '1', '0'],
    ['both charges are rounded: 0.01 to 0.02', late('2', '3', tenth), '1', '0.01'],
  ])('%s', (_, charge, quantity, amount) => {
    const line = lateLine(charge, 2);
    expect([line.quantity && toPlain(line.quantity), toPlain(line.amount)]).toEqual([quantity, amount]);
    expect(line).toMatchObject({ type: 'late_usage', ...ORIGIN, metricId: 'metric_1', tiers: [] });
  });

  it('reads as what it is', () => {
    expect(lateLine(late('20', '1025', perUnit), 2).description).toBe('API calls: late usage, 1,005 units');
    expect(lateLine(late('20', '19', perUnit), 2).description).toBe('API calls: late usage, -1 units');
  });

  it('is taxed like any line, and comes before the credits', () => {
    const none = { fees: [], prepaid: [], usages: [], pending: [], credits: [] };
    const terms = { kind: 'period', currency: 'USD', taxRate: decimal(20), today: '2026-12-01' } as const;
    const invoice = computeInvoice({
      ...none,
      ...terms,
      periodStart: null,
      periodEnd: null,
      late: [late('20', '25', perUnit)],
    });
    expect([invoice.subtotal, invoice.taxAmount, invoice.total].map(toPlain)).toEqual(['0.5', '0.1', '0.6']);
  });

  it('however often events come late, the lines of a period sum to the charge of all its usage', () => {
    const components = fc.constantFrom(perUnit, volume, packages, tenth);
    const values = fc.array(fc.integer({ min: -50, max: 500 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(
        components,
        values,
        fc.integer({ min: 0, max: 60 }),
        fc.constantFrom(0, 2, 3),
        (of, seen, prepaid, places) => {
          const units = decimal(prepaid);
          const billed = (value: number) => {
            const usage = usageOf(decimal(value));
            const charge = { ...ORIGIN, metricName: 'calls', component: of, prepaidUnits: units };
            const line = usageLine({
              ...charge,
              timeZone: 'UTC',
              quantity: usage.value,
              eventsCount: usage.eventsCount,
            });
            return { amount: roundHalfAwayFromZero(line.amount, places), quantity: usage.value };
          };
          const lines = seen
            .slice(1)
            .map((value, i) => lateLine(late(`${seen[i]}`, `${value}`, of, `${prepaid}`), places));
          const first = billed(seen[0] ?? 0);
          const whole = billed(seen.at(-1) ?? 0);
          expect(toPlain(sum([first.amount, ...lines.map(({ amount }) => amount)]))).toBe(toPlain(whole.amount));
          expect(toPlain(sum([first.quantity, ...lines.map(({ quantity }) => quantity ?? ZERO)]))).toBe(
            toPlain(whole.quantity),
          );
        },
      ),
      { numRuns: 500 },
    );
  });
});
