import { describe, expect, test } from 'vitest';
import { boundaryCharges } from '../../../billing/invoices/boundary-charges.ts';
import { computeInvoice } from '../../../billing/invoices/compute-invoice.ts';
import { periodOf } from '../../../billing/periods/periods.ts';
import { endingAt, prorationCredits } from '../../../billing/subscriptions/cancel.ts';
import type { CancelTerms, Plan } from '../../../billing/subscriptions/subscription.ts';
import { lessBySwitches } from '../../../billing/subscriptions/switch.ts';
import { type Decimal, decimal, ZERO } from '../../../core/decimal.ts';
import { at, boundaryOf, plan, switchedOf } from '../fixtures.ts';

/** 2026-03-01 to 03-31, 30 days. */
const period = periodOf(
  {
    startDate: '2026-03-01',
    billingPeriod: 'monthly',
    usagePeriod: 'billing_period',
    anchorDate: null,
    timeZone: 'UTC',
  },
  0,
);
const feeOf = (planId: string, fee: number) =>
  plan({ planId, name: planId, recurringFee: decimal(fee), components: [] });
const [basic, pro] = [feeOf('basic', 30), feeOf('pro', 60)];

describe('the fee of a period is the sum over its segments', () => {
  const on = (date: string) => ({ at: at(`${date}T12:00:00Z`), on: date });
  /** Plans in force, each from a date. */
  const plansFrom = (...plans: [Plan, string][]) =>
    plans.map(([of, date], i) => ({ subscriptionId: `sub_${i}`, plan: of, ...on(date) }));
  type Plans = ReturnType<typeof plansFrom>;
  const bill = (plans: Plans, cuts: Pick<Parameters<typeof boundaryOf>[1], 'pauses' | 'ending'> = {}) => {
    const last = plans.at(-1)?.plan ?? basic;
    const ended = switchedOf(plans, period, cuts);
    const charges = boundaryCharges({ ...boundaryOf(last, { ended: period, ...cuts }), ended });
    const sums = { kind: 'period', currency: 'USD', taxRate: ZERO, periodStart: null, periodEnd: null } as const;
    const invoice = computeInvoice({ ...charges, ...sums, pending: [], credits: [], today: '2026-03-31' });
    return invoice.lines.map((line) => `${line.planId} ${line.type} ${line.amount.toFixed()}`);
  };
  /** What the switches themselves have charged: below 0 credited. */
  const prorated = (plans: Plans) =>
    plans.slice(1).reduce((total: Decimal, one, i) => {
      const difference = one.plan.recurringFee.minus(plans[i]?.plan.recurringFee ?? ZERO);
      const remaining = 31 - Number(one.on.slice(-2));
      return total.plus(difference.times(remaining).div(30));
    }, ZERO);
  const pause = (from: string, to: string) => ({
    pausedAt: on(from).at,
    pausedOn: from,
    resumedAt: on(to).at,
    resumedOn: to,
  });
  const once = plansFrom([basic, '2026-03-01'], [pro, '2026-03-11']);
  const thrice = plansFrom(
    [basic, '2026-03-01'],
    [pro, '2026-03-11'],
    [feeOf('free', 0), '2026-03-16'],
    [basic, '2026-03-26'],
  );
  const sumOf = (rows: string[]) => rows.reduce((total, row) => total.plus(row.split(' ')[2] ?? 0), ZERO);

  // 30 * 10 / 30 + 60 * 20 / 30 = 50, of which the switch charged 20.
  test('without pauses: "the period\'s recurring fee stays the one of the plan it began with"', () => {
    expect(bill(once)).toEqual(['basic recurring_fee 30']);
    expect(prorated(once).toFixed()).toBe('20');
    // 10 + 10 + 0 + 5 = 25
    expect(bill(thrice)).toEqual(['basic recurring_fee 30']);
    expect(prorated(thrice).plus(30).toFixed()).toBe('25');
  });

  // Paused before: 30 * 8 / 30 + 60 * 20 / 30 = 48 = 28 + 20. Paused after: 10 + 60 * 15 / 30 = 40 = 25 + 20 - 5.
  test('paused before and after the switch', () => {
    expect(bill(once, { pauses: [pause('2026-03-04', '2026-03-06')] })).toEqual(['basic recurring_fee 28']);
    expect(bill(once, { pauses: [pause('2026-03-14', '2026-03-19')] })).toEqual([
      'basic recurring_fee 25',
      'pro proration -5',
    ]);
  });

  // Paused for the free days 03-16 to 03-26 and 2 days of each plan beside: 10 + 60 * 3 / 30 + 0 + 30 * 3 / 30 = 19.
  test('a pause over several plans', () => {
    const rows = bill(thrice, { pauses: [pause('2026-03-14', '2026-03-28')] });
    expect(sumOf(rows).plus(prorated(thrice)).toFixed()).toBe('19');
  });

  // A cancel on 03-16: 30 * 10 / 30 + 60 * 5 / 30 = 20. In full 30 + 20. "refund = nothing".
  test.each([
    ['charge_prorated', '20'],
    ['charge_full', '50'],
    ['refund', '0'],
  ] as const)('a cancel with %s', (flatFeeBehavior, total) => {
    const terms: CancelTerms = { flatFeeBehavior, billUsage: true, invoicingBehavior: 'invoice_now' };
    const ending = endingAt(at('2026-03-16T00:00:00Z'), terms, period);
    expect(sumOf(bill(once, { ending })).plus(prorated(once)).toFixed()).toBe(total);
  });

  test('paid in advance nothing is corrected; a cancel gives back what the plan of now costs for the rest', () => {
    const inAdvance = plansFrom(
      [{ ...basic, chargeTiming: 'in_advance' }, '2026-03-01'],
      [{ ...pro, chargeTiming: 'in_advance' }, '2026-03-11'],
    );
    expect(bill(inAdvance, { pauses: [pause('2026-03-14', '2026-03-19')] })).toEqual([]);
    const ending = { on: '2026-03-16', flatFeeBehavior: 'charge_prorated' } as const;
    const opening = { invoiceId: 'inv_1', taxRate: decimal(10), amount: decimal(30), left: decimal(33) };
    const back = (pending: number, charged = [opening]) => {
      const paid = {
        period,
        fee: decimal(60),
        charged,
        prorated: { pending: decimal(pending), cheaper: ZERO, credited: { whole: ZERO, ofPending: ZERO } },
        places: 2,
      };
      const { given, waived } = prorationCredits(paid, ending);
      return [
        waived.toFixed(),
        ...given.map(({ invoiceId, amount, tax }) => `${invoiceId} ${amount.toFixed()} ${tax.toFixed()}`),
      ];
    };
    // 60 * 15 / 30 = 30: the 20 that wait are waived, 10 given back; or 20 of the proration's invoice first.
    expect(back(20)).toEqual(['20', 'inv_1 10 1']);
    const proration = { invoiceId: 'inv_2', taxRate: ZERO, amount: decimal(20), left: decimal(20) };
    expect(back(0, [opening, proration])).toEqual(['0', 'inv_2 20 0', 'inv_1 10 1']);
  });

  test('a refund never gives back what a downgrade has credited already', () => {
    const down = plansFrom([pro, '2026-03-01'], [basic, '2026-03-11']);
    const cheaper = lessBySwitches(switchedOf(down, period), 2);
    const credited = { whole: cheaper, ofPending: ZERO };
    const charged = [{ invoiceId: 'inv_1', taxRate: ZERO, amount: decimal(60), left: decimal(60) }];
    const paid = { period, fee: decimal(30), charged, prorated: { pending: ZERO, cheaper, credited }, places: 2 };
    const { given } = prorationCredits(paid, { on: '2026-03-16', flatFeeBehavior: 'refund' });
    expect(given.map(({ amount }) => amount.toFixed())).toEqual(['40']);
  });
});
