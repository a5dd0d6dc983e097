import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { type ApplicableDiscount, applyDiscounts, feeShareLeft } from '../../../billing/discounts/discounts.ts';
import { computeInvoice, computeInvoices, type InvoicePart } from '../../../billing/invoices/compute-invoice.ts';
import { explainLine } from '../../../billing/invoices/explain-line.ts';
import type { InvoiceKind, NewInvoiceLine } from '../../../billing/invoices/invoice.ts';
import { emptyLine } from '../../../billing/invoices/invoice-lines.ts';
import { decimal, sum, ZERO } from '../../../core/decimal.ts';
import { credit } from '../fixtures.ts';

const USD = { currency: 'USD', places: 2 };
const NO_PERIOD = { periodStart: null, periodEnd: null };

function discount(over: Partial<ApplicableDiscount> & { percent?: string; amount?: string }): ApplicableDiscount {
  const { percent, amount, ...fields } = over;
  const off = amount
    ? { percentOff: null, amountOff: decimal(amount), currency: 'USD' }
    : { percentOff: decimal(percent ?? '10'), amountOff: null, currency: null };
  const whose = { discountId: 'disc_1', subscriptionId: 'sub_1', holders: ['sub_1'] };
  return { ...whose, periodsRemaining: null, name: 'Offer', appliesTo: null, ...off, ...fields } as ApplicableDiscount;
}

function line(type: NewInvoiceLine['type'], amount: string, over: Partial<NewInvoiceLine> = {}): NewInvoiceLine {
  return { ...emptyLine(type, type), subscriptionId: 'sub_1', planId: 'plan_1', amount: decimal(amount), ...over };
}

/** What discounts take, each, and of each line. */
function off(lines: NewInvoiceLine[], discounts: ApplicableDiscount[], kind: InvoiceKind = 'period') {
  const made = applyDiscounts(lines, discounts, { kind, ...USD, ...NO_PERIOD });
  for (const one of made.discounts) explainLine({ ...one, lineId: 'line_1' }, null, 2);
  return {
    taken: made.discounts.map(({ amount }) => amount.toFixed()),
    shares: made.charged.map(({ discountAmount }) => discountAmount?.toFixed() ?? null),
  };
}

const listed = { planIds: null, metricIds: null, lineTypes: null };

describe('what a discount takes off', () => {
  // spec/discounts#lines
  const lines = [line('recurring_fee', '100'), line('usage', '33.5'), line('true_up', '6.5'), line('true_up', '-10')];

  it('a percentage of what the lines come to, limits among them', () => {
    expect(off(lines, [discount({ percent: '15' })])).toEqual({
      taken: ['-19.5'],
      shares: ['15', '5.03', '0.97', '-1.5'],
    });
  });

  it('each of what those before it left, in their order', () => {
    const fee = [line('recurring_fee', '100')];
    const [amount, percent] = [discount({ amount: '20' }), discount({ percent: '10', discountId: 'disc_2' })];
    expect(off(fee, [amount, percent])).toEqual({ taken: ['-20', '-8'], shares: ['28'] });
    expect(off(fee, [percent, amount])).toEqual({ taken: ['-10', '-20'], shares: ['30'] });
  });

  it('never below 0, and what is over is not carried on', () => {
    expect(off([line('usage', '12')], [discount({ amount: '20' }), discount({ percent: '50' })]).taken).toEqual([
      '-12',
    ]);
    expect(off([line('recurring_fee', '10'), line('proration', '-30')], [discount({ percent: '50' })]).taken).toEqual(
      [],
    );
  });

  it('is rounded once', () => {
    expect(off([line('usage', '0.33')], [discount({ percent: '50' })]).taken).toEqual(['-0.17']);
  });

  it('of lines that fit every list, of its own subscription or one before it', () => {
    const all = [
      line('recurring_fee', '100'),
      line('usage', '10', { metricId: 'calls' }),
      line('late_usage', '20', { metricId: 'calls' }),
      line('usage', '40', { metricId: 'bytes', planId: 'plan_2' }),
      line('recurring_fee', '1000', { subscriptionId: 'sub_2' }),
    ];
    const takes = (over: Partial<ApplicableDiscount>) => off(all, [discount(over)]).taken;
    expect(takes({})).toEqual(['-17']);
    expect(takes({ holders: ['sub_2', 'sub_1'] })).toEqual(['-117']);
    expect(takes({ appliesTo: { ...listed, metricIds: ['calls'] } })).toEqual(['-3']);
    expect(takes({ appliesTo: { ...listed, metricIds: ['calls', 'bytes'], lineTypes: ['usage'] } })).toEqual(['-5']);
    expect(takes({ appliesTo: { ...listed, planIds: ['plan_2'] } })).toEqual(['-4']);
    expect(takes({ appliesTo: { ...listed, planIds: ['plan_2'], lineTypes: ['recurring_fee'] } })).toEqual([]);
  });

  it('on a proration invoice only percentages; nothing once its periods are used', () => {
    const charged = [line('proration', '90')];
    expect(off(charged, [discount({ percent: '15' }), discount({ amount: '5' })], 'proration').taken).toEqual([
      '-13.5',
    ]);
    expect(off(charged, [discount({ periodsRemaining: 0 })]).taken).toEqual([]);
  });

  it('what gives back of an earlier charge is less its discount already', () => {
    const lines_ = [line('recurring_fee', '10'), line('proration', '-5', { givenBackOf: 'inv_1' })];
    expect(off(lines_, [discount({ percent: '50' })])).toEqual({ taken: ['-5'], shares: ['5', null] });
  });
});

test('shares of lines add up to what is off, and no sum falls below 0', () => {
  const amounts = fc.array(fc.integer({ min: -5_000, max: 100_000 }), { minLength: 1, maxLength: 8 });
  const offers = fc.array(
    fc.oneof(
      fc.integer({ min: 1, max: 10_000 }).map((n) => discount({ percent: decimal(n).shiftedBy(-2).toFixed() })),
      fc.integer({ min: 1, max: 200_000 }).map((n) => discount({ amount: decimal(n).shiftedBy(-2).toFixed() })),
    ),
    { maxLength: 4 },
  );
  fc.assert(
    fc.property(amounts, offers, (cents, discounts) => {
      const lines = cents.map((n) => line('usage', decimal(n).shiftedBy(-2).toFixed()));
      const made = applyDiscounts(lines, discounts, { kind: 'period', ...USD, ...NO_PERIOD });
      const taken = sum(made.discounts.map(({ amount }) => amount));
      const shares = sum(made.charged.map(({ discountAmount }) => discountAmount ?? ZERO));
      const before = sum(lines.map(({ amount }) => amount));
      expect(shares.plus(taken).isZero()).toBe(true);
      expect(before.plus(taken).gte(before.lt(0) ? before : ZERO)).toBe(true);
    }),
  );
});

// spec/invoices#order-of-computation
test('limits, discounts, tax, credits: 81.50 are due', () => {
  const pending = [line('recurring_fee', '100'), line('usage', '33.5'), line('true_up', '6.5'), line('true_up', '-10')];
  const invoice = computeInvoice({
    ...{ kind: 'period', currency: 'USD', taxRate: decimal(19), ...NO_PERIOD, today: '2026-04-01' },
    ...{ fees: [], prepaid: [], usages: [], pending },
    credits: [credit({ amountRemaining: decimal(50) })],
    discounts: [discount({ percent: '15' })],
  });
  const amounts = invoice.lines.map(({ type, amount }) => `${type} ${amount.toFixed()}`);
  expect(amounts).toEqual([
    ...['recurring_fee 100', 'usage 33.5', 'true_up 6.5', 'true_up -10', 'discount -19.5', 'credit -50'],
  ]);
  const { subtotal, taxAmount, total, amountDue } = invoice;
  expect([subtotal, taxAmount, total, amountDue].map((one) => one.toFixed())).toEqual(['110.5', '21', '131.5', '81.5']);
});

// spec/discounts#periods
test('each opening, period or closing invoice that a discount lowers is one of its periods', () => {
  const part = (kind: InvoiceKind, amount: string): InvoicePart => {
    return { kind, ...NO_PERIOD, fees: [], prepaid: [], usages: [], pending: [line('usage', amount)] };
  };
  const parts = [part('proration', '10'), part('period', '0'), part('opening', '10'), part('period', '10')];
  const of = { currency: 'USD', taxRate: ZERO, today: '2026-04-01', credits: [] };
  const twice = [discount({ periodsRemaining: 2 })];
  const invoices = [...computeInvoices({ ...of, discounts: twice, parts: [...parts, part('closing', '10')] })];
  expect(invoices.map(({ subtotal }) => subtotal.toFixed())).toEqual(['9', '0', '9', '9', '10']);
});

// spec/discounts#given-back
test('percentages that are off fees lower a credit for them, others do not', () => {
  const offers = [
    discount({ percent: '15' }),
    discount({ amount: '5' }),
    discount({ percent: '50', appliesTo: { ...listed, lineTypes: ['usage'] } }),
    discount({ percent: '50', appliesTo: { ...listed, metricIds: ['calls'] } }),
    discount({ percent: '50', appliesTo: { ...listed, planIds: ['plan_2'] } }),
    discount({ percent: '50', periodsRemaining: 0 }),
    discount({ percent: '50', holders: ['sub_2'] }),
    discount({ percent: '20', appliesTo: { ...listed, lineTypes: ['recurring_fee'], planIds: ['plan_1'] } }),
  ];
  const OF = { subscriptionId: 'sub_1', planId: 'plan_1' };
  expect(feeShareLeft(offers, OF).toFixed()).toBe('0.68');
  expect(feeShareLeft([], OF).toFixed()).toBe('1');
});

// spec/discounts#given-back
describe('what was credited of a line before it was on an invoice', () => {
  const waited = line('proration', '40', { creditedBefore: decimal(10) });
  const lines = [line('recurring_fee', '30'), waited];

  it('is left by an amount, and no share of it is on another line', () => {
    expect(off(lines, [discount({ amount: '100' })])).toEqual({ taken: ['-60'], shares: ['30', '30'] });
    expect(off(lines, [discount({ amount: '20' })])).toEqual({ taken: ['-20'], shares: ['10', '10'] });
  });

  it('is left only by an amount that is for its line', () => {
    const fees = { ...listed, lineTypes: ['recurring_fee' as const] };
    const prorations = { ...listed, lineTypes: ['proration' as const] };
    expect(off(lines, [discount({ amount: '100', appliesTo: fees })]).taken).toEqual(['-30']);
    expect(off(lines, [discount({ amount: '100', appliesTo: prorations })]).taken).toEqual(['-30']);
  });

  it('is told in the explanation', () => {
    const { discounts } = applyDiscounts(lines, [discount({ amount: '100' })], {
      kind: 'period',
      ...USD,
      ...NO_PERIOD,
    });
    const told = discounts.map((one) => explainLine({ ...one, lineId: 'line_1' }, null, 2));
    expect(told.flat().map(({ text, value }) => `${text}: ${value.toFixed()}`)).toEqual([
      'What is left of the lines that it is for: 70',
      'Minus 10, which was credited before they were on an invoice: 60',
      '100 off, at most what is left: -60',
    ]);
  });
});
