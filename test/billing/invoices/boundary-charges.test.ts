import { describe, expect, it } from 'vitest';
import { type BoundaryInput, boundaryCharges } from '../../../billing/invoices/boundary-charges.ts';
import { periodOf } from '../../../billing/periods/periods.ts';
import { decimal } from '../../../core/decimal.ts';
import { boundaryOf, component, plan, wholeOf } from '../fixtures.ts';

const TERMS = {
  startDate: '2026-11-01',
  billingPeriod: 'monthly',
  usagePeriod: 'billing_period',
  anchorDate: null,
  timeZone: 'UTC',
} as const;
const [ended, next] = [periodOf(TERMS, 0), periodOf(TERMS, 1)];
const calls = component({ metricId: 'calls', prepaidUnits: decimal(50) });
const bytes = component({ metricId: 'bytes' });
const used = { bytes: 9 };
const both = plan({ components: [calls, bytes] });

function charges(over: Partial<BoundaryInput>) {
  const of = boundaryCharges({ ...boundaryOf(over.plan ?? both, { ended, next, used }), ...over });
  return {
    fees: of.fees.map((fee) => [fee.fee.toNumber(), fee.periodStart, fee.billedDays, fee.days]),
    prepaid: of.prepaid.map((prepaid) => [prepaid.metricName, prepaid.units.toNumber(), prepaid.periodStart]),
    usages: of.usages.map((usage) => [
      usage.metricName,
      usage.quantity.toNumber(),
      usage.prepaidUnits.toNumber(),
      usage.periodStart,
    ]),
  };
}

describe('boundaryCharges', () => {
  // "in_arrears: at period end, recurring fee and usage of that period" (spec/prepaid-units#changes); "prepaid units are billed ahead, at
  // period start" (spec/prepaid-units#billing); "every component has its usage line, also at zero" (spec/invoices#states)
  it('in arrears: fee and usage of the period that ended, prepaid units of the next', () => {
    expect(charges({})).toEqual({
      fees: [[29, ended.startsAt, 30, 30]],
      prepaid: [['calls', 50, next.startsAt]],
      usages: [
        ['calls', 0, 50, ended.startsAt],
        ['bytes', 9, 0, ended.startsAt],
      ],
    });
  });

  // "in_advance: recurring fee and prepaid units at period start; usage in arrears, on the invoice made at the next
  // period start (or the closing one)" (spec/prepaid-units#changes)
  it('in advance: the fee of the next period, none where the subscription ends', () => {
    const inAdvance = plan({ components: [bytes], chargeTiming: 'in_advance' });
    expect(charges({ plan: inAdvance }).fees).toEqual([[29, next.startsAt, 30, 30]]);
    const closing = charges({ plan: inAdvance, next: null });
    expect(closing).toEqual({ fees: [], prepaid: [], usages: [['bytes', 9, 0, ended.startsAt]] });
  });

  // "Prepaid units move for metrics the new plan bills" (spec/prepaid-units#changes), else they end: then later ones are all left.
  it('after two switches at one instant: no line for a plan that was in force for no time, and its units are over', () => {
    const { startsAt } = ended;
    const at = startsAt + 1000;
    const of = { planId: 'plan_0', version: 1, metricId: 'calls', component: calls };
    const counted = { value: decimal(3), eventsCount: decimal(3), prepaidUnits: decimal(50) };
    const none = { value: decimal(0), eventsCount: decimal(0), prepaidUnits: decimal(50) };
    const usages = [
      { ...of, ...counted, startsAt, endsAt: at, movesUnits: true },
      { ...of, ...none, startsAt: at, endsAt: at, movesUnits: false },
    ];
    const own = boundaryOf(both, { ended, used }).windows.map((window) => ({ ...window, startsAt: at }));
    expect(charges({ windows: [...usages, ...own] }).usages).toEqual([
      ['calls', 3, 50, startsAt],
      ['calls', 0, 50, at],
      ['bytes', 9, 0, at],
    ]);
  });

  // "What is due at the very start (in_advance fee, prepaid units under either timing) ... has no usage lines" (spec/prepaid-units#changes)
  it('at the very start: no usage, the fee only in advance', () => {
    const first = { ended: null, next: wholeOf(both, ended) };
    expect(charges(first)).toEqual({ fees: [], prepaid: [['calls', 50, ended.startsAt]], usages: [] });
    expect(charges({ ...first, plan: plan({ components: [], chargeTiming: 'in_advance' }) }).fees).toHaveLength(1);
  });

  it('a plan without a fee has no fee line', () => {
    expect(charges({ plan: plan({ components: [], recurringFee: decimal(0) }) }).fees).toEqual([]);
  });

  it('the subscription’s own prepaid units go before those of the plan', () => {
    const prepaidUnits = [
      { metricId: 'calls', units: decimal(0), fromPeriod: 0 },
      { metricId: 'bytes', units: decimal(7), fromPeriod: 0 },
    ];
    const of = charges({ prepaidUnits });
    expect(of.prepaid).toEqual([['bytes', 7, next.startsAt]]);
    expect(of.usages.map((usage) => usage[2])).toEqual([0, 7]);
  });
});
