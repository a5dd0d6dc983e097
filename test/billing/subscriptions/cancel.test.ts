import { describe, expect, test } from 'vitest';
import { boundaryCharges } from '../../../billing/invoices/boundary-charges.ts';
import { periodOf } from '../../../billing/periods/periods.ts';
import {
  type CancelRequest,
  decideCancel,
  downgradeCredits,
  endingAt,
  prorationCredits,
} from '../../../billing/subscriptions/cancel.ts';
import type { SubscriptionStatus } from '../../../billing/subscriptions/states.ts';
import type { CancelTerms } from '../../../billing/subscriptions/subscription.ts';
import { decimal, sum, ZERO } from '../../../core/decimal.ts';
import { DomainError } from '../../../core/domain-error.ts';
import { at, boundaryOf, component, plan } from '../fixtures.ts';

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
const noon = at('2026-03-11T12:00:00Z');
const terms = (over: Partial<CancelTerms> = {}): CancelTerms => ({
  flatFeeBehavior: 'charge_prorated',
  billUsage: true,
  invoicingBehavior: 'add_to_next_invoice',
  ...over,
});

describe('decideCancel', () => {
  const decide = (
    status: SubscriptionStatus,
    cancelAt: CancelRequest['cancelAt'],
    invoicingBehavior: CancelTerms['invoicingBehavior'] = 'add_to_next_invoice',
  ) => {
    try {
      const request = { ...terms({ invoicingBehavior }), cancelAt };
      return decideCancel({ status, currentPeriod: period }, request, { at: noon, timeZone: 'UTC' });
    } catch (error) {
      if (error instanceof DomainError) return error.code;
      throw error;
    }
  };

  const planned = (when: number) => ({ kind: 'planned', cancel: { ...terms(), at: when } });

  test.each(['pending', 'active', 'paused'] as const)('%s can be canceled, now and later', (status) => {
    expect(decide(status, 'immediately')).toEqual({ kind: 'now' });
    expect(decide(status, '2026-03-11')).toEqual({ kind: 'now' });
    expect(decide(status, 'end_of_period')).toEqual(planned(period.endsAt));
    expect(decide(status, '2026-03-31')).toEqual(planned(period.endsAt));
    expect(decide(status, '2026-03-12')).toEqual(planned(at('2026-03-12T00:00:00Z')));
    expect(decide(status, null)).toEqual({ kind: 'withdrawn' });
    expect(decide(status, '2026-03-10')).toBe('invalid');
  });

  test.each(['canceled', 'expired'] as const)('%s cannot, whatever is asked', (status) => {
    for (const when of ['immediately', 'end_of_period', '2026-03-12', null])
      expect(decide(status, when)).toBe('conflict');
    expect(decide(status, '2026-03-10')).toBe('invalid');
  });

  test('while paused invoice_now is refused', () => {
    expect(decide('paused', 'immediately', 'invoice_now')).toBe('conflict');
    expect(decide('paused', null, 'invoice_now')).toEqual({ kind: 'withdrawn' });
    expect(decide('active', 'immediately', 'invoice_now')).toEqual({ kind: 'now' });
  });
});

describe('what a cancel in arrears bills', () => {
  const bill = (instant: string, over: Partial<CancelTerms> = {}, pauses: [string, string | null][] = []) => {
    const of = plan({ recurringFee: decimal(30), components: [component()] });
    const { fees, usages } = boundaryCharges(
      boundaryOf(of, {
        ended: period,
        ending: endingAt(at(instant), terms(over), period),
        pauses: pauses.map(([from, to]) => ({
          pausedAt: at(`${from}T06:00:00Z`),
          pausedOn: from,
          resumedAt: to === null ? null : at(`${to}T06:00:00Z`),
          resumedOn: to,
        })),
      }),
    );
    return { days: fees.map(({ billedDays }) => billedDays), usages: usages.length };
  };

  // The day of the change remains: on 03-11 10 days are used. Paused 03-04 to 03-08 are 4 of them.
  test.each([
    ['2026-03-11T12:00:00Z', {}, [], { days: [10], usages: 1 }],
    ['2026-03-11T00:00:00Z', {}, [], { days: [10], usages: 1 }],
    ['2026-03-11T12:00:00Z', { flatFeeBehavior: 'charge_full' }, [], { days: [30], usages: 1 }],
    ['2026-03-11T12:00:00Z', { flatFeeBehavior: 'refund' }, [], { days: [], usages: 1 }],
    ['2026-03-11T12:00:00Z', { billUsage: false }, [], { days: [10], usages: 0 }],
    ['2026-03-11T12:00:00Z', {}, [['2026-03-04', '2026-03-08']], { days: [6], usages: 1 }],
    ['2026-03-11T12:00:00Z', {}, [['2026-03-04', null]], { days: [3], usages: 1 }],
    ['2026-03-01T12:00:00Z', {}, [], { days: [], usages: 1 }],
    ['2026-03-01T00:00:00Z', {}, [], { days: [], usages: 0 }],
    ['2026-03-31T00:00:00Z', {}, [], { days: [30], usages: 1 }],
    ['2026-04-02T00:00:00Z', {}, [], { days: [30], usages: 1 }],
  ] as [string, Partial<CancelTerms>, [string, string | null][], object][])(
    '%s %o %o',
    (when, over, pauses, billed) => {
      expect(bill(when, over, pauses)).toEqual(billed);
    },
  );
});

// "A prorated credit for the overpaid part" (interface): never more than was charged for the period and is not credited yet.
describe('downgradeCredits', () => {
  const fee = (amount: number, unpaid: string | number = 0, left = 1_000) => {
    const charged = { invoiceId: 'inv_1', taxRate: decimal(20), amount: decimal(amount), unpaid: decimal(unpaid) };
    return { ...charged, left: decimal(left) };
  };
  test.each([
    ['a fee that was charged', [fee(30)], 0, 0, '10'],
    ['a fee whose invoice was voided', [], 0, 0, '0'],
    ['less than the difference', [fee(6)], 0, 0, '6'],
    ['what earlier switches have credited', [fee(30)], 0, 25, '5'],
    ['what earlier switches have credited of a fee that was voided since', [], 0, 25, '0'],
    ['what an earlier switch has charged and waits', [], 4, 0, '4'],
    // 36 with tax, of which nothing came; 30 of 36; then 12 came, 10 without tax.
    ['an uncollectible invoice', [fee(30, 36)], 0, 0, '0'],
    ['one of which credits have paid a part', [fee(30, 30)], 0, 0, '5'],
    ['an invoice of which 6 with tax are left, 5 without', [fee(30, 0, 6)], 0, 0, '5'],
    ['one that was refunded, and one before it', [fee(8), fee(30, 0, 0)], 0, 0, '8'],
    ['one of which something else is due', [fee(30, 100), fee(8)], 0, 0, '8'],
  ])('%s', (_, charged, pending, credited, given) => {
    const prorated = { pending: decimal(pending), credited: decimal(credited) };
    const parts = downgradeCredits(decimal(10), { charged, prorated, rateOfNow: decimal(20), places: 2 });
    expect(sum(parts.map(({ amount }) => amount)).toFixed()).toBe(given);
  });
});

describe('prorationCredits', () => {
  const charged = [
    { invoiceId: 'inv_1', taxRate: decimal('7.5'), amount: decimal(30), left: decimal('32.25') },
    { invoiceId: 'inv_2', taxRate: decimal(20), amount: decimal(10), left: decimal(12) },
  ];
  const give = (flatFeeBehavior: CancelTerms['flatFeeBehavior'], fees = charged.slice(0, 1)) => {
    const ending = endingAt(noon, terms({ flatFeeBehavior }), period);
    return prorationCredits({ period, fee: decimal(30), charged: fees, places: 2 }, ending).given.map((one) => [
      one.invoiceId,
      one.amount.toFixed(),
      one.tax.toFixed(),
    ]);
  };

  test('20 of 30 days remain: 30 * 20 / 30 = 20, tax 7.5 % of it 1.5', () => {
    expect(give('charge_prorated')).toEqual([['inv_1', '20', '1.5']]);
    expect(give('charge_full')).toEqual([]);
    expect(give('refund')).toEqual([['inv_1', '30', '2.25']]);
  });

  test('of two invoices the latest first, never more than was charged', () => {
    expect(give('charge_prorated', charged)).toEqual([
      ['inv_2', '10', '2'],
      ['inv_1', '10', '0.75'],
    ]);
    expect(give('charge_prorated', charged.slice(1))).toEqual([['inv_2', '10', '2']]);
    expect(give('refund', [{ invoiceId: 'inv_0', taxRate: ZERO, amount: ZERO, left: ZERO }])).toEqual([]);
  });

  const discounted = (amount: string, discount: string, left: string) => {
    return {
      invoiceId: 'inv_1',
      taxRate: ZERO,
      amount: decimal(amount),
      discount: decimal(discount),
      left: decimal(left),
    };
  };

  test('59.44 less 2.15 is 57.29; of 29.72 that is 28.645, so 28.65, and not a hair below', () => {
    const ending = endingAt(at('2026-03-16T00:00:00Z'), terms(), period);
    const charged = [discounted('57.29', '2.15', '57.29')];
    const { given } = prorationCredits({ period, fee: decimal('59.44'), charged, places: 2 }, ending);
    expect(given.map(({ amount }) => amount.toFixed())).toEqual(['28.65']);
  });

  // On that invoice there is usage of 50, too, of which nothing goes back.
  test('a fee of 100 with 90 off was 10, all of which a switch has credited: nothing more goes back', () => {
    const ending = endingAt(at('2026-03-21T00:00:00Z'), terms(), period);
    const charged = [discounted('10', '90', '50')];
    const credited = { whole: decimal(10), ofPending: ZERO };
    const prorated = { pending: ZERO, cheaper: decimal('26.67'), credited };
    const { given } = prorationCredits({ period, fee: decimal(60), charged, prorated, places: 2 }, ending);
    expect(given).toEqual([]);
  });
});
