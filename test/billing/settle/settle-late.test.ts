import fc from 'fast-check';
import { expect, test } from 'vitest';
import { emptyLine } from '../../../billing/invoices/invoice-lines.ts';
import type { CountedLate } from '../../../billing/metering/late-usage.ts';
import { minimumKey, pricedKey, usageItemId, windowIdOf } from '../../../billing/settle/charge-keys.ts';
import type { DiscountTerms } from '../../../billing/settle/facts.ts';
import type { KeyedPeriod } from '../../../billing/settle/keyed-periods.ts';
import { type LateRecords, settleLate } from '../../../billing/settle/late-corrections.ts';
import type { InvoiceMoney } from '../../../billing/settle/place.ts';
import type { StandingCharges } from '../../../billing/settle/standing-charges.ts';
import type { InvoiceTerms } from '../../../billing/settle/terms.ts';
import { type Decimal, decimal, min, roundHalfAwayFromZero, sum, ZERO } from '../../../core/decimal.ts';
import { howMany } from '../../how-many.ts';
import { component } from '../fixtures.ts';
import { amountOff, percentOff } from './life.ts';

/** Late usage that lowers a month that was billed, at 1.00 a unit (spec/reversals#late-corrections). */
const MONTH = { startsAt: 0, endsAt: 100 };
const PERIOD_ID = 'sub/1970-01-01T00:00:00.000Z';
const PERIOD: KeyedPeriod = {
  ...{ subscriptionId: 'sub', ...MONTH, billing: MONTH, firstHolderId: 'sub', isInAdvance: false, minimums: [] },
};

const keyOf = (metricId: string) => {
  const item = { metricId, planId: 'plan', version: 1, periodStart: 0 };
  return pricedKey(PERIOD_ID, 'usage', windowIdOf(PERIOD), usageItemId(item));
};

/** A charge of a metric on an invoice. `price` is before limits and discounts. */
type Charged = {
  invoiceId?: string;
  metricId: string;
  price: Decimal | number;
  net?: Decimal | number;
  back?: Decimal | number;
  byHand?: Decimal | number;
};

const amount = (of: Decimal | number) => (typeof of === 'number' ? decimal(of) : of);

function standingOf(charged: readonly Charged[], terms: Partial<InvoiceTerms> = {}): StandingCharges {
  const keys = [...new Set(charged.map(({ metricId }) => keyOf(metricId)))];
  const invoice: InvoiceTerms = {
    ...{ invoiceId: 'MAR', order: 0, kind: 'period', periodId: PERIOD_ID, payerId: 'payer', taxRate: ZERO },
    ...{ discounts: [], keys, voidedBefore: null, ...terms },
  };
  const charges = charged.map(({ invoiceId = 'MAR', metricId, price, net = price, back = 0, byHand = 0 }, i) => ({
    ...{ lineId: `line-${i}`, invoiceId, termsOf: 'MAR', key: keyOf(metricId), isVoid: terms.voidedBefore === 1 },
    ...{ net: amount(net), back: amount(back), byHand: amount(byHand) },
  }));
  const chargedLines = charged.map(({ invoiceId = 'MAR', metricId, price }, ordinal) => {
    const line = { ...emptyLine('usage', ''), subscriptionId: 'sub', planId: 'plan', version: 1, metricId };
    const of = { key: keyOf(metricId), periodId: PERIOD_ID, lineId: `line-${ordinal}`, invoiceId, ordinal };
    return { ...of, line, left: amount(price) };
  });
  const money = [...new Set(['MAR', ...charges.map(({ invoiceId }) => invoiceId)])].map((invoiceId): InvoiceMoney => {
    const paid = sum(charges.filter((one) => one.invoiceId === invoiceId).map(({ net }) => net)).times(2);
    return { invoiceId, payerId: 'payer', due: ZERO, money: paid, credits: [], isPaymentInFlight: false };
  });
  return { invoices: [invoice], charges, money, periodIds: [PERIOD_ID], chargedLines };
}

/** A metric that was billed for `before` units and has `after` by now. */
function late(metricId: string, before: Decimal | number, after: Decimal | number): CountedLate {
  const usage = (value: Decimal | number) => ({ value: amount(value), eventsCount: decimal(1) });
  return {
    ...{ subscriptionId: 'sub', planId: 'plan', version: 1, periodStart: 0, periodEnd: 100, metricName: metricId },
    ...{ component: component({ metricId, overagePrice: decimal(1) }), before: usage(before), after: usage(after) },
    ...{ prepaidUnits: ZERO, prepaidBefore: ZERO, countedFrom: 1n, timeZone: 'UTC' },
  };
}

const active = (...discounts: DiscountTerms[]) => ({
  discounts: discounts.map((terms) => ({ terms, hasLowered: true })),
});

function settled(
  counted: readonly CountedLate[],
  standing: StandingCharges,
  more: Partial<Omit<LateRecords, 'standing'>> & { isRunning?: boolean; takesLines?: null } = {},
) {
  const { limits = [], isRunning = false, takesLines = { payerId: 'payer' } } = more;
  const options = { takesLines, isRunning: () => isRunning, places: 2 };
  return settleLate(counted, { standing, periods: [PERIOD], limits }, options);
}

function shown(...of: Parameters<typeof settled>): unknown {
  const { late: lines, credits } = settled(...of);
  return {
    lines: lines.map((charge) => charge.settled?.amount.toFixed(2) ?? 'not settled'),
    credits: credits.map((credit) => `${credit.invoiceId} ${credit.amount.toFixed(2)}`),
  };
}

const limitOf = (minimum: number | null, maximum: number | null, metricId: string | null = null) => ({
  ...{ subscriptionId: 'sub', ...MONTH, metricId, charged: ZERO },
  limits: {
    minimumAmount: minimum === null ? null : decimal(minimum),
    maximumAmount: maximum === null ? null : decimal(maximum),
  },
});

test('each line carries its share of what the invoice charges less', () => {
  const standing = standingOf([
    { metricId: 'a', price: 100, net: 50 },
    { metricId: 'b', price: 300, net: 150 },
  ]);
  const half = { ...standing, invoices: standing.invoices.map((one) => ({ ...one, ...active(percentOff(50, null)) })) };
  expect(shown([late('a', 100, 40), late('b', 300, 180)], half)).toEqual({ lines: ['-30.00', '-60.00'], credits: [] });
  const [first] = settled([late('a', 100, 40), late('b', 300, 180)], half).late;
  expect(first?.settled).toMatchObject({ givenBackOf: 'MAR', reverses: [{ invoiceId: 'MAR', ordinal: 0 }] });
});

test('an amount off is taken again of all lines of the invoice', () => {
  const charged = [
    { metricId: 'a', price: 500, net: 170 },
    { metricId: 'b', price: 1_000, net: 340 },
  ];
  const standing = standingOf(charged, active(amountOff(990, 1)));
  expect(shown([late('a', 500, 500), late('b', 1_000, 100)], standing)).toEqual({ lines: ['-510.00'], credits: [] });
});

test.each([
  ['a minimum that is reached all the same', [10, 5], limitOf(50, null), '0.00'],
  ['a maximum that still cuts', [120, 110], limitOf(null, 100), '0.00'],
  ['a maximum that cuts no more', [120, 80], limitOf(null, 100), '-20.00'],
])('%s', (_, [before = 0, after = 0], limit, back) => {
  const net = limit.limits.maximumAmount === null ? before : 100;
  const standing = standingOf([{ metricId: 'a', price: before, net }]);
  const [invoice] = standing.invoices;
  const keys = [...(invoice?.keys ?? []), minimumKey(PERIOD_ID, { windowId: null, metricId: null })];
  const limited = { ...standing, invoices: invoice ? [{ ...invoice, keys }] : [] };
  expect(shown([late('a', before, after)], limited, { limits: [limit] })).toEqual({ lines: [back], credits: [] });
});

test('a rise beside a fall is set off, and takes nothing back by itself', () => {
  const standing = standingOf([
    { metricId: 'a', price: 10 },
    { metricId: 'b', price: 10 },
  ]);
  const { late: lines } = settled([late('a', 10, 0), late('b', 10, 14)], standing);
  expect(lines.map(({ settled: of }) => of?.amount.toFixed(2))).toEqual(['-10.00', '4.00']);
  const parts = lines.flatMap(({ settled: of }) => of?.reverses ?? []);
  expect(sum(parts.map((part) => part.amount)).toFixed(2)).toBe('6.00');
});

test('what goes back of a second invoice is a credit', () => {
  const standing = standingOf([
    { metricId: 'a', price: 100 },
    { metricId: 'a', price: 30, invoiceId: 'APR' },
  ]);
  expect(shown([late('a', 130, 20)], standing)).toEqual({ lines: ['-80.00'], credits: ['APR 30.00'] });
});

test('without an invoice to be a line of, everything is a credit', () => {
  const standing = standingOf([{ metricId: 'a', price: 100 }]);
  expect(shown([late('a', 100, 20)], standing, { takesLines: null })).toEqual({
    lines: ['0.00'],
    credits: ['MAR 80.00'],
  });
});

test('what raises the price, has limits that go on, or waits for an invoice is not settled', () => {
  const standing = standingOf([{ metricId: 'a', price: 100 }]);
  const nothing = { lines: ['not settled'], credits: [] };
  expect(shown([late('a', 100, 120)], standing)).toEqual(nothing);
  expect(shown([late('a', 100, 20)], standing, { isRunning: true })).toEqual(nothing);
  expect(shown([late('b', 100, 20)], standing)).toEqual(nothing);
});

test('nothing goes back of a void invoice', () => {
  const standing = standingOf([{ metricId: 'a', price: 100 }], { voidedBefore: 1 });
  expect(shown([late('a', 100, 20)], standing)).toEqual({ lines: ['0.00'], credits: [] });
});

test('corrections one after another give back what one would, and never more than is left', () => {
  const cents = (most: number) => fc.integer({ min: 0, max: most * 100 }).map((one) => decimal(one).shiftedBy(-2));
  const arbitrary = fc.record({
    price: cents(1_000),
    rate: fc.constantFrom(0, 7, 19),
    percent: fc.constantFrom(0, 15, 50, 100),
    off: fc.constantFrom(0, 10, 600),
    forgiven: cents(300),
    cuts: fc.array(cents(400), { minLength: 1, maxLength: 4 }),
  });
  fc.assert(
    fc.property(arbitrary, ({ price, rate, percent, off, forgiven, cuts }) => {
      const discounts = [
        ...(percent > 0 ? [percentOff(percent, null)] : []),
        ...(off > 0 ? [amountOff(off, null)] : []),
      ];
      const terms = { ...active(...discounts), taxRate: decimal(rate) };
      const left = price.minus(roundHalfAwayFromZero(price.times(percent).shiftedBy(-2), 2)).minus(off);
      const net = left.gt(0) ? left : ZERO;
      const byHand = min(forgiven, net);
      const backAfter = (steps: readonly Decimal[]) => {
        let back = ZERO;
        let before = price;
        for (const after of steps) {
          const standing = standingOf([{ metricId: 'a', price: before, net, byHand, back }], terms);
          const { late: lines } = settled([late('a', before, after)], standing);
          const took = sum(lines.map(({ settled: of }) => of?.amount ?? ZERO)).negated();
          expect(took.lte(net.minus(byHand).minus(back))).toBe(true);
          back = back.plus(took);
          before = after;
        }
        return back.toFixed(2);
      };
      const steps = cuts.map((_, i) => {
        const least = price.minus(sum(cuts.slice(0, i + 1)));
        return least.gt(0) ? least : ZERO;
      });
      expect(backAfter(steps)).toBe(backAfter(steps.slice(-1)));
    }),
    { numRuns: howMany(300, 5_000) },
  );
});
