import fc from 'fast-check';
import { expect, test } from 'vitest';
import { computeInvoice } from '../../../billing/invoices/compute-invoice.ts';
import { limitedCharges } from '../../../billing/invoices/true-ups.ts';
import { periodOf } from '../../../billing/periods/periods.ts';
import { limitedBy } from '../../../billing/pricing/limits.ts';
import { type Component, prepaidPrice } from '../../../billing/pricing/rating.ts';
import { windowIdOf } from '../../../billing/settle/charge-keys.ts';
import type { PeriodFacts, UnitsFacts } from '../../../billing/settle/facts.ts';
import { factsOf } from '../../../billing/settle/facts-of.ts';
import type { Ending } from '../../../billing/subscriptions/cancel.ts';
import type { Plan } from '../../../billing/subscriptions/subscription.ts';
import { decimal, roundHalfAwayFromZero } from '../../../core/decimal.ts';
import { addDays, startOfLocalDay } from '../../../core/instants.ts';
import { howMany } from '../../how-many.ts';
import { boundaryOf, plan, switchedOf, wholeOf } from '../fixtures.ts';
import { anyComponent } from '../pricing/pricing-fixtures.ts';
import { amountOff, Life, percentOff } from './life.ts';

const TERMS = {
  startDate: '2026-11-01',
  billingPeriod: 'monthly',
  usagePeriod: 'billing_period',
  timeZone: 'UTC',
} as const;
const PERIOD = periodOf({ ...TERMS, anchorDate: null }, 0);

const on = (day: number) => {
  const date = addDays(TERMS.startDate, day);
  return { at: startOfLocalDay(date, 'UTC'), on: date };
};

const limits = fc.record({
  minimum: fc.option(fc.integer({ min: 1, max: 400 })),
  maximum: fc.option(fc.integer({ min: 200, max: 900 })),
});

const anyEnd = fc.record({
  day: fc.integer({ min: 0, max: 29 }),
  flatFeeBehavior: fc.constantFrom('charge_prorated' as const, 'charge_full' as const, 'refund' as const),
});

const anyCase = fc.record({
  fee: fc.integer({ min: 0, max: 30_000 }),
  first: anyComponent,
  second: anyComponent,
  used: fc.tuple(fc.integer({ min: 0, max: 900 }), fc.integer({ min: 0, max: 900 })),
  prepaid: fc.integer({ min: 0, max: 50 }),
  componentLimits: limits,
  planLimits: limits,
  pause: fc.option(fc.tuple(fc.integer({ min: 0, max: 29 }), fc.integer({ min: 0, max: 29 }))),
  end: fc.option(anyEnd),
  discount: fc.constantFrom(null, percentOff(15, null), percentOff(100, null), amountOff(50, null)),
  taxRate: fc.constantFrom(0, 7, 19),
});
type Case = typeof anyCase extends fc.Arbitrary<infer T> ? T : never;

const limitsFrom = ({ minimum, maximum }: Case['planLimits']) =>
  limitedBy(minimum === null ? null : decimal(minimum), maximum === null ? null : decimal(maximum));

function planFrom({ fee, first, second, prepaid, componentLimits, planLimits }: Case): Plan {
  const components: Component[] = [
    { ...first, metricId: 'a', prepaidUnits: decimal(prepaid), ...limitsFrom(componentLimits) },
    { ...second, metricId: 'b' },
  ];
  return plan({ recurringFee: decimal(fee).shiftedBy(-2), components, ...limitsFrom(planLimits) });
}

/** The end of the period by the rules that bill today: the invoice, and the facts for the same invoice. */
function bothWays(drawn: Case) {
  const { used, pause, end, discount, taxRate } = drawn;
  const of = planFrom(drawn);
  const [from, to] = pause ? [Math.min(...pause), Math.max(...pause)] : [0, 0];
  const pauses = pause
    ? [{ pausedAt: on(from).at, pausedOn: on(from).on, resumedAt: on(to).at, resumedOn: on(to).on }]
    : [];
  const ending: Ending | null = end && { ...on(end.day), flatFeeBehavior: end.flatFeeBehavior, billUsage: true };
  const boundary = boundaryOf(of, { ended: PERIOD, pauses, ending, used: { a: used[0], b: used[1] } });
  const charges = limitedCharges(boundary);
  const discounts = discount ? [{ ...discount, name: 'Coupon', holders: ['sub_1'], ...APPLICABLE }] : [];
  const invoice = computeInvoice({
    ...{ ...charges, kind: 'closing', currency: 'USD', taxRate: decimal(taxRate), pending: [], credits: [], discounts },
    ...{ periodStart: PERIOD.startsAt, periodEnd: PERIOD.endsAt, today: '2026-12-01' },
  });
  const period = wholeOf(of, PERIOD, { pauses, ending });
  const facts = factsOf({
    ...{ periodId: 'p', period, ending, isInAdvance: false, isClosed: true, addons: [], mayNotRestore: new Map() },
    ...{
      settled: [{ usagePeriod: period, metricIds: ['a', 'b'], usages: charges.usages }],
      units: unitsOf(of),
      nameOf: (id) => id,
    },
  });
  return { invoice, facts };
}

const APPLICABLE = { subscriptionId: 'sub_1', periodsRemaining: null };

function unitsOf({ components: [first], planId, version }: Plan): UnitsFacts[] {
  if (!first || first.prepaidUnits.isZero()) return [];
  const price = roundHalfAwayFromZero(prepaidPrice(first, first.prepaidUnits), 2);
  const by = { subscriptionId: 'sub_1', planId, version, changeId: 'units', from: 0, mayNotRestore: [] };
  const changes = [{ ...by, price, units: first.prepaidUnits, component: first }];
  return [{ metricId: 'a', metricName: 'a', windowId: windowIdOf(PERIOD), ...spanOf(), changes }];
}

function spanOf() {
  const { startsAt, endsAt } = PERIOD;
  return { startsAt, endsAt };
}

/** The closing invoice of the period by its facts, behind an opening invoice with its prepaid units. */
function issued(facts: PeriodFacts, { discount, taxRate }: Case): string {
  const life = new Life().set(facts);
  // The opening invoice has no discount, as the rules that bill today are asked for the closing one alone.
  life.issue('INV-1', 'p', ['start'], { kind: 'opening', taxRate });
  if (discount) life.discounts.push({ ...discount, subscriptionIds: ['sub_1'] });
  return life.issue('INV-2', 'p', ['change', 'window', 'end'], { kind: 'closing', taxRate });
}

test('the facts of a period cost what its closing invoice charges', () => {
  fc.assert(
    fc.property(anyCase, (drawn) => {
      const { invoice, facts } = bothWays(drawn);
      expect(issued(facts, drawn)).toBe(invoice.total.toFixed(2));
    }),
    { numRuns: howMany(300, 10_000) },
  );
});

test('each plan in force is a fee from its day on', () => {
  const [small, large] = [plan({ planId: 'small' }), plan({ planId: 'large', recurringFee: decimal(60) })];
  const plans = [
    { ...on(0), subscriptionId: 'sub_1', plan: small },
    { ...on(10), subscriptionId: 'sub_2', plan: large },
  ];
  const facts = factsOf({
    ...{ periodId: 'p', period: switchedOf(plans, PERIOD), ending: null, isInAdvance: true, isClosed: false },
    ...{
      settled: [],
      units: [],
      addons: [],
      mayNotRestore: new Map([['sub_2', ['sub_1']]]),
      nameOf: (id: string) => id,
    },
  });
  expect(
    facts.fees.map(({ changeId, from, price, mayNotRestore }) => [changeId, from, price.toFixed(), mayNotRestore]),
  ).toEqual([
    ['sub_1', 0, '29', []],
    ['sub_2', 10, '60', ['sub_1']],
  ]);
  expect(facts.used).toEqual([
    { from: 0, to: 10 },
    { from: 10, to: 30 },
  ]);
});
