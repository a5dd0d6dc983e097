import { describe, expect, it } from 'vitest';
import type { BoundaryInput } from '../../../billing/invoices/boundary-charges.ts';
import { chargesInTurn } from '../../../billing/invoices/charges-in-turn.ts';
import { chargedLines } from '../../../billing/invoices/compute-invoice.ts';
import { type Period, periodAfter, periodOf } from '../../../billing/periods/periods.ts';
import { limitedBy, trueUpAmount } from '../../../billing/pricing/limits.ts';
import type { Component } from '../../../billing/pricing/rating.ts';
import type { Ending } from '../../../billing/subscriptions/cancel.ts';
import { decimal } from '../../../core/decimal.ts';
import { type Instant, startOfLocalDay } from '../../../core/instants.ts';
import { boundaryOf, component, plan, switchedOf, wholeOf } from '../fixtures.ts';

const TERMS = {
  startDate: '2026-11-01',
  billingPeriod: 'monthly',
  usagePeriod: 'billing_period',
  anchorDate: null,
  timeZone: 'UTC',
} as const;
const [ended, next] = [periodOf(TERMS, 0), periodOf(TERMS, 1)];

const limits = (minimum: string | null, maximum: string | null = null) =>
  limitedBy(minimum === null ? null : decimal(minimum), maximum === null ? null : decimal(maximum));
const calls = (over: object = {}) => ({ ...component({ metricId: 'calls', overagePrice: decimal(1) }), ...over });
const PERCENTAGE: Component = {
  ...{ componentId: 'calls', metricId: 'calls', pricingModel: 'percentage', percentage: decimal(1) },
  ...{ fixedAmount: decimal(0), perEventMinimum: null, perEventMaximum: null },
  ...{ freeTier: decimal(0), rounding: 'no_rounding', prepaidUnits: decimal(0) },
};
const planOf = (fee: number, over: object = {}) => plan({ recurringFee: decimal(fee), components: [calls()], ...over });
const on = (date: string): { at: Instant; on: string } => ({ at: startOfLocalDay(date, 'UTC'), on: date });

/** The true_up lines of a boundary: metric, what was charged, and the difference. */
function trueUps(over: Partial<BoundaryInput> & Pick<BoundaryInput, 'plan'>, used = 33.5) {
  const boundary = boundaryOf(over.plan, { ended, next, used: {} });
  const windows = boundary.windows.map((window) => ({ ...window, value: decimal(String(used)) }));
  const charges = chargesInTurn().charge({ ...boundary, windows, ...over });
  return chargedLines({ ...charges, pending: [] }, 2)
    .filter(({ type }) => type === 'true_up')
    .map(({ metricId, basis, amount }) => [
      metricId,
      basis?.of === 'limits' && basis.charged.toFixed(),
      amount.toFixed(),
    ]);
}

const canceled = (date: string, over: Partial<Ending> = {}): Ending => {
  return { ...on(date), flatFeeBehavior: 'charge_prorated', billUsage: true, ...over };
};

describe('limits of a period', () => {
  // spec/rating#limits: fee 100, usage 33.50, the component's minimum 40, the plan's maximum 130
  it('the component first, then the plan with what that made', () => {
    const of = planOf(100, { components: [calls(limits('40'))], ...limits(null, '130') });
    expect(trueUps({ plan: of })).toEqual([
      ['calls', '33.5', '6.5'],
      [null, '140', '-10'],
    ]);
  });

  it('what lies within the limits has no line', () => {
    const of = planOf(100, { components: [calls(limits('10', '40'))], ...limits('50', '200') });
    expect(trueUps({ plan: of })).toEqual([]);
    expect(trueUps({ plan: planOf(100) })).toEqual([]);
  });

  it('lines are rounded before limits see them', () => {
    expect(trueUps({ plan: planOf(0, limits('40')) }, 33.337)).toEqual([[null, '33.34', '6.66']]);
  });

  it('units paid ahead for the period count, those for the next one do not', () => {
    const of = planOf(0, { components: [calls({ prepaidUnits: decimal(30), ...limits('40') })] });
    expect(trueUps({ plan: of }, 35)).toEqual([['calls', '35', '5']]);
  });

  it('a fee in advance counts in the period that it pays for', () => {
    expect(trueUps({ plan: planOf(100, { chargeTiming: 'in_advance', ...limits('140') }) })).toEqual([
      [null, '133.5', '6.5'],
    ]);
  });
});

describe("a plan's maximum acts once passed", () => {
  const ahead = planOf(100, {
    chargeTiming: 'in_advance',
    components: [calls({ prepaidUnits: decimal(50) })],
    ...limits(null, '130'),
  });

  it('ahead, and counts at the end of that period', () => {
    const [first, second] = [wholeOf(ahead, ended), wholeOf(ahead, next)];
    expect(trueUps({ plan: ahead, ended: null, next: first, windows: [] })).toEqual([[null, '150', '-20']]);
    // -20 of the next period; of this one 150 + 10 usage, of which 20 have been taken already.
    expect(
      trueUps(
        { plan: ahead, ended: first, next: second, limitedSoFar: { charged: decimal(0), truedUp: decimal(-20) } },
        60,
      ),
    ).toEqual([
      [null, '160', '-10'],
      [null, '150', '-20'],
    ]);
  });

  it('boundaries of one draft know of those before them', () => {
    const { charge } = chargesInTurn();
    const [first, second] = [wholeOf(ahead, ended), wholeOf(ahead, next)];
    charge({ ...boundaryOf(ahead, { ended, used: {} }), ended: null, next: first, windows: [] });
    const [own] = charge({ ...boundaryOf(ahead, { ended, next, used: {} }), ended: first, next: second }).trueUps;
    expect(own?.truedUp.toFixed()).toBe('-20');
  });
});

describe('a minimum is for the unpaused days in force', () => {
  const of = planOf(0, limits('60'));
  const cut = (ending: Ending) => ({ plan: of, ending, next: null, ended: wholeOf(of, ended, { ending }) });

  it.each([
    [canceled('2026-11-11'), [[null, '5', '15']]],
    [canceled('2026-11-11', { flatFeeBehavior: 'charge_full' }), [[null, '5', '55']]],
    [canceled('2026-11-11', { flatFeeBehavior: 'refund' }), []],
    [canceled('2026-11-11', { billUsage: false }), []],
  ])('canceled: %o', (ending, expected) => {
    expect(trueUps(cut(ending), 5)).toEqual(expected);
  });

  it('paused from day 10 to 20', () => {
    const pause = { pausedAt: on('2026-11-11').at, pausedOn: '2026-11-11', resumedAt: on('2026-11-21').at };
    const paused = wholeOf(of, ended, { pauses: [{ ...pause, resumedOn: '2026-11-21' }] });
    expect(trueUps({ plan: of, ended: paused }, 5)).toEqual([[null, '5', '35']]);
  });

  it('rounded: 10 for 10 of 30 days', () => {
    const ten = planOf(0, limits('10'));
    const ending = canceled('2026-11-11');
    const over = { plan: ten, ending, next: null, ended: wholeOf(ten, ended, { ending }) };
    expect(trueUps(over, 0)).toEqual([[null, '0', '3.33']]);
  });

  // 30 for 10 days and 60 for 20: 50; fees 0 and usage 5. The last plan's maximum holds.
  it('plans of a switched period add up, and the last maximum holds', () => {
    const [old, late] = [
      planOf(0, { planId: 'old', ...limits('30', '31') }),
      planOf(0, { planId: 'new', ...limits('60', '70') }),
    ];
    const parts = [
      { ...on('2026-11-01'), subscriptionId: 'sub_1', plan: old },
      { ...on('2026-11-11'), subscriptionId: 'sub_1', plan: late },
    ];
    const switched = switchedOf(parts, ended);
    expect(trueUps({ plan: late, ended: switched }, 5)).toEqual([[null, '5', '45']]);
    expect(trueUps({ plan: late, ended: switched }, 80)).toEqual([[null, '80', '-10']]);
  });

  // In arrears: 30 * 30 / 30 + (60 - 30) * 20 / 30 = 50 of fees, whoever billed them.
  it('fee and switches are what the period comes to', () => {
    const parts = [
      { ...on('2026-11-01'), subscriptionId: 'sub_1', plan: planOf(30, { planId: 'old' }) },
      { ...on('2026-11-11'), subscriptionId: 'sub_1', plan: planOf(60, { planId: 'new', ...limits(null, '52') }) },
    ];
    const last = parts[1]?.plan ?? plan();
    expect(trueUps({ plan: last, ended: switchedOf(parts, ended) }, 10)).toEqual([[null, '60', '-8']]);
  });

  // 50 units at 1 that the switch charged are 50 of at most 40, whatever the plan before it costs.
  it.each([calls({ overagePrice: decimal('0.1') }), PERCENTAGE])(
    'units count at the price of the plan that prepays them',
    (old) => {
      const prepays = calls({ prepaidUnits: decimal(50) });
      const parts = [
        { ...on('2026-11-01'), subscriptionId: 'sub_1', plan: planOf(0, { planId: 'old', components: [old] }) },
        {
          ...on('2026-11-11'),
          subscriptionId: 'sub_1',
          plan: planOf(0, { components: [prepays], ...limits(null, '40') }),
        },
      ];
      const last = parts[1]?.plan ?? plan();
      expect(trueUps({ plan: last, ended: switchedOf(parts, ended), next: null }, 0)).toEqual([[null, '50', '-10']]);
    },
  );

  it('in advance what a cancel gives back does not count', () => {
    const ahead = planOf(30, { chargeTiming: 'in_advance', ...limits('60') });
    const ending = canceled('2026-11-11');
    const over = { plan: ahead, ending, next: null, ended: wholeOf(ahead, ended, { ending }) };
    expect(trueUps(over, 4)).toEqual([[null, '14', '6']]);
  });
});

describe('usage months', () => {
  const quarter = { ...TERMS, billingPeriod: 'quarterly', usagePeriod: 'monthly' } as const;
  const january = periodOf(quarter, 0);
  const february = periodAfter(quarter, january);
  const march = periodAfter(quarter, february);
  const terms = { billingPeriod: 'quarterly', usagePeriod: 'monthly' } as const;
  const of = planOf(0, { ...terms, ...limits('100', '130'), components: [calls(limits('40'))] });

  it("a component's limits are those of the month, a plan's those of the billing period", () => {
    const within = { plan: of, ended: wholeOf(of, january), next: wholeOf(of, february) };
    expect(trueUps(within)).toEqual([['calls', '33.5', '6.5']]);
    expect(trueUps({ plan: of, ended: wholeOf(of, january), next: wholeOf(of, february) }, 150)).toEqual([
      [null, '150', '-20'],
    ]);
    const last = { plan: of, ended: wholeOf(of, march), next: null };
    const limitedSoFar = { charged: decimal(150), truedUp: decimal(-20) };
    expect(trueUps({ ...last, limitedSoFar })).toEqual([
      ['calls', '33.5', '6.5'],
      [null, '190', '-40'],
    ]);
    expect(trueUps(last, 45)).toEqual([[null, '45', '55']]);
  });

  // The only month of a first quarter that is clipped: 1.98 * 7 / 31 is 0.45.
  it('a clipped month is a part of its whole month', () => {
    const clipped = { ...quarter, startDate: '2027-03-25', anchorDate: '2027-01-01' };
    const least = planOf(0, { ...terms, components: [calls(limits('1.98'))] });
    const ended_ = wholeOf(least, periodOf(clipped, 0));
    expect(trueUps({ plan: least, ended: ended_, next: null }, 0)).toEqual([['calls', '0', '0.45']]);
  });

  it('months that are billed together know of each other', () => {
    const { charge } = chargesInTurn();
    const boundary = (ended_: Period, next_: Period | null, used: number) => {
      const whole = boundaryOf(of, { ended: ended_, next: next_, used: {} });
      return { ...whole, windows: whole.windows.map((window) => ({ ...window, value: decimal(used) })) };
    };
    const planOfMonth = (over: BoundaryInput) => charge(over).trueUps.find(({ metricId }) => metricId === null);
    expect(planOfMonth(boundary(january, february, 100))?.charged.toFixed()).toBe('100');
    const second = planOfMonth(boundary(february, march, 50));
    expect([second?.charged.toFixed(), second && trueUpAmount(second).toFixed()]).toEqual(['150', '-20']);
    const third = planOfMonth(boundary(march, null, 40));
    expect([third?.charged.toFixed(), third?.truedUp.toFixed()]).toEqual(['190', '-20']);
  });

  // 60 are paid ahead for the first month, and on its invoice for the second: 120 of at most 100, trued up by -20. Paused from within the second
  // until the quarter is over: the two months that wait for the resume cost nothing more.
  // So it is where a switch charges the 60 of the second month, which wait for an invoice.
  it.each([
    { invoiced: [60, 120], truedUp: -20, comesTo: '120' },
    { invoiced: [0, 0], truedUp: 0, comesTo: '60' },
  ])('units count once where months wait for a resume: $comesTo', ({ invoiced, truedUp, comesTo }) => {
    const ahead = planOf(0, { ...terms, components: [calls({ prepaidUnits: decimal(60) })], ...limits(null, '100') });
    const [pausedOn, resumedOn] = ['2026-12-20', '2027-02-05'];
    const pauses = [{ pausedAt: on(pausedOn).at, pausedOn, resumedAt: on(resumedOn).at, resumedOn }];
    const { charge } = chargesInTurn();
    const planOfMonth = (ended_: Period, next_: Period | null, charged = 0) => {
      const limitedSoFar = { charged: decimal(charged), truedUp: decimal(truedUp) };
      const boundary = { ...boundaryOf(ahead, { ended: ended_, next: next_, pauses }), limitedSoFar };
      return charge(boundary).trueUps.map((one) => [one.charged.toFixed(), trueUpAmount(one).toFixed()]);
    };
    expect(planOfMonth(february, march, invoiced[0])).toEqual([[comesTo, '0']]);
    expect(planOfMonth(march, null, invoiced[1])).toEqual([[comesTo, '0']]);
  });
});
