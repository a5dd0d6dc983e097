import fc from 'fast-check';
import { computeInvoice } from '../../../billing/invoices/compute-invoice.ts';
import { limitedCharges } from '../../../billing/invoices/true-ups.ts';
import { periodOf } from '../../../billing/periods/periods.ts';
import { limitedBy } from '../../../billing/pricing/limits.ts';
import { type Component, prepaidPrice } from '../../../billing/pricing/rating.ts';
import { periodIdOfSegments, windowIdOf } from '../../../billing/settle/charge-keys.ts';
import type { UnitsFacts } from '../../../billing/settle/facts.ts';
import { factsOf } from '../../../billing/settle/facts-of.ts';
import type { Ending } from '../../../billing/subscriptions/cancel.ts';
import type { Plan } from '../../../billing/subscriptions/subscription.ts';
import { decimal, roundHalfAwayFromZero } from '../../../core/decimal.ts';
import { addDays, startOfLocalDay } from '../../../core/instants.ts';
import { boundaryOf, plan, wholeOf } from '../fixtures.ts';
import { anyComponent } from '../pricing/pricing-fixtures.ts';
import { amountOff, percentOff } from './life.ts';

const TERMS = {
  startDate: '2026-11-01',
  billingPeriod: 'monthly',
  usagePeriod: 'billing_period',
  timeZone: 'UTC',
} as const;
export const PERIOD = periodOf({ ...TERMS, anchorDate: null }, 0);

/** Midnight of a day of the period. */
export const on = (day: number) => {
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

/** A period with a fee, two components, limits, a pause and an end. */
export const anyCase = fc.record({
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
export type Case = typeof anyCase extends fc.Arbitrary<infer T> ? T : never;

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
export function bothWays(drawn: Case) {
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
    ...{ periodId: periodIdOfSegments(period), period, ending, isInAdvance: false, isClosed: true },
    ...{ addons: [], mayNotRestore: new Map() },
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
