import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeInvoice, type InvoiceInput } from '../../../billing/invoices/compute-invoice.ts';
import { chargesSubtotal, type LineType, type NewInvoiceLine } from '../../../billing/invoices/invoice.ts';
import { emptyLine } from '../../../billing/invoices/invoice-lines.ts';
import type { FeeCharge, UsageCharge } from '../../../billing/pricing/charges.ts';
import { currencyOf } from '../../../core/currencies.ts';
import { type Decimal, decimal, toPlain } from '../../../core/decimal.ts';
import { at, component, credit, tiers } from '../fixtures.ts';

const ORIGIN = {
  subscriptionId: 'sub_1',
  planId: 'plan_1',
  version: 3,
  periodStart: at('2026-11-01T00:00:00Z'),
  periodEnd: at('2026-12-01T00:00:00Z'),
};

function fee(over: Partial<FeeCharge> = {}): FeeCharge {
  return { ...ORIGIN, planName: 'Pro plan', fee: decimal(29), billedDays: 30, days: 30, ...over };
}

function usage(quantity: string, over: Partial<UsageCharge> = {}): UsageCharge {
  const counts = { eventsCount: decimal(7), prepaidUnits: decimal(0) };
  return {
    ...ORIGIN,
    timeZone: 'UTC',
    metricName: 'API calls',
    component: component(),
    quantity: decimal(quantity),
    ...counts,
    ...over,
  };
}

function input(over: Partial<InvoiceInput> = {}): InvoiceInput {
  const { periodStart, periodEnd } = ORIGIN;
  const none = { fees: [], prepaid: [], usages: [], pending: [], credits: [] };
  const terms = { kind: 'period', currency: 'USD', taxRate: decimal(0), today: '2026-12-01' } as const;
  return { ...terms, periodStart, periodEnd, ...none, ...over };
}

function pending(type: LineType, amount: string): NewInvoiceLine {
  return { ...emptyLine(type, `${type} line`), amount: decimal(amount) };
}

/** The money of an invoice as text. */
function money(over: Partial<InvoiceInput>) {
  const { subtotal, taxAmount, total, creditsApplied, amountDue, overpayment, status } = computeInvoice(input(over));
  const amounts = { subtotal, taxAmount, total, creditsApplied, amountDue, overpayment };
  return { ...Object.fromEntries(Object.entries(amounts).map(([k, v]) => [k, toPlain(v)])), status };
}

describe('computeInvoice', () => {
  // 29 + 1,234 * 0.1 = 152.40; tax 10.5 % = 16.002 -> 16.00; credit 20 of 168.40
  it('a month with fee, usage, tax and a credit, by hand', () => {
    const over = {
      fees: [fee()],
      usages: [usage('1234')],
      taxRate: decimal('10.5'),
      credits: [credit({ amountRemaining: decimal(20) })],
    };
    expect(money(over)).toEqual({
      subtotal: '152.4',
      taxAmount: '16',
      total: '168.4',
      creditsApplied: '20',
      amountDue: '148.4',
      overpayment: '0',
      status: 'open',
    });
  });

  // Lines 29.00, 3.34 and a credit of -20.00 (spec/invoices#lines)
  it('charges_subtotal is what the lines that are no credits sum to', () => {
    const over = { fees: [fee()], usages: [usage('33.35')], credits: [credit({ amountRemaining: decimal(20) })] };
    const { lines, subtotal } = computeInvoice(input(over));
    expect(lines.map(({ type, amount }) => `${type} ${toPlain(amount)}`)).toEqual([
      'recurring_fee 29',
      'usage 3.34',
      'credit -20',
    ]);
    expect(toPlain(chargesSubtotal(lines))).toBe('32.34');
    expect(chargesSubtotal(lines).eq(subtotal)).toBe(true);
  });

  // "every line is rounded once, half away from zero, to the currency" (spec/invoices#arithmetic)
  it.each([
    ['USD', '0.005', '0.01'],
    ['USD', '0.0049999999999', '0'],
    ['JPY', '0.5', '1'],
    ['JPY', '1234.4', '1234'],
    ['KWD', '0.0005', '0.001'],
    ['KWD', '1.2344', '1.234'],
  ])('in %s a usage of %s becomes %s', (currency, price, expected) => {
    const usages = [usage('1', { component: component({ overagePrice: decimal(price) }) })];
    expect(money({ currency, usages })).toMatchObject({ subtotal: expected, total: expected });
  });

  it('rounds each line before it sums, and the tax once on the sum', () => {
    const price = component({ overagePrice: decimal('0.004') });
    // three times 0.004 is 0.012, but each line is 0.00
    expect(money({ usages: [1, 2, 3].map(() => usage('1', { component: price })) })).toMatchObject({ subtotal: '0' });
    // 3 * 0.05 at 10 %: 0.015 -> 0.02, not three times 0.01
    const five = component({ overagePrice: decimal('0.05') });
    const usages = [1, 2, 3].map(() => usage('1', { component: five }));
    expect(money({ usages, taxRate: decimal(10) })).toMatchObject({
      subtotal: '0.15',
      taxAmount: '0.02',
      total: '0.17',
    });
  });

  it.each([
    // fee * billed days / days (spec/periods#fee-of-a-period): 29 * 10 / 30 = 9.6666...
    [10, 30, '9.67'],
    [0, 30, '0'],
    [30, 30, '29'],
    [1, 365, '0.08'],
  ])('a fee of 29 for %i of %i days is %s', (billedDays, days, expected) => {
    expect(money({ fees: [fee({ billedDays, days })] })).toMatchObject({ subtotal: expected });
  });

  it('a fee line names its price only where the whole period is billed', () => {
    const { lines } = computeInvoice(input({ fees: [fee(), fee({ billedDays: 10 })] }));
    expect(lines.map((line) => line.unitPrice && toPlain(line.unitPrice))).toEqual(['29', null]);
  });

  // "A negative total becomes 0 due and an overpayment credit of the rest"; tax with the sign of the subtotal (spec/invoices#arithmetic)
  it('a negative total is 0 due, paid, taxed below 0, leaves an overpayment and uses no credit', () => {
    const over = {
      fees: [fee()],
      pending: [pending('late_usage', '-40.005')],
      taxRate: decimal(20),
      credits: [credit()],
    };
    expect(money(over)).toEqual({
      subtotal: '-11.01',
      taxAmount: '-2.2',
      total: '-13.21',
      creditsApplied: '0',
      amountDue: '0',
      overpayment: '13.21',
      status: 'paid',
    });
  });

  // "Zero due: paid at once" (spec/invoices#states)
  it.each([
    ['0', 'paid', 'nothing billed'],
    ['100', 'paid', 'a credit pays it all'],
    ['250', 'open', 'a credit pays a part'],
  ])('usage of %s units is %s: %s', (quantity, status) => {
    expect(money({ usages: [usage(quantity)], credits: [credit()] })).toMatchObject({ status });
  });

  // "Every component has its usage line, also at zero. Order of lines: fee, prepaid, usage in component order, add-ons,
  // proration, late usage, credits." (spec/invoices#late-usage)
  it('lists its lines in the order of the contract', () => {
    const invoice = computeInvoice(
      input({
        fees: [fee()],
        prepaid: [{ ...ORIGIN, metricName: 'API calls', component: component(), units: decimal(50) }],
        usages: [usage('0', { metricName: 'First' }), usage('3', { metricName: 'Second' })],
        pending: [
          pending('late_usage', '1'),
          pending('proration', '2'),
          pending('addon', '3'),
          pending('usage', '4'),
          pending('recurring_fee', '5'),
        ],
        credits: [credit()],
      }),
    );
    expect(invoice.lines.map((line) => line.description)).toEqual([
      'Pro plan: recurring fee',
      'recurring_fee line',
      'API calls: 50 units prepaid',
      'First: 0 units',
      'Second: 3 units',
      'usage line',
      'addon line',
      'proration line',
      'late_usage line',
      'Service credit',
    ]);
  });

  // "The credit appears on the invoice as a negative line and lowers the total due." (interface)
  it('lists a credit as a negative line and tells what to take from which', () => {
    const credits = [
      credit({ creditId: 'late', amountRemaining: decimal(50) }),
      credit({ creditId: 'soon', amountRemaining: decimal(5), expiresAt: '2026-12-01', description: 'Outage in May' }),
      credit({ creditId: 'euro', currency: 'EUR' }),
    ];
    const { lines, applications } = computeInvoice(input({ fees: [fee()], credits }));
    expect(applications.map((a) => [a.credit.creditId, toPlain(a.amount)])).toEqual([
      ['soon', '5'],
      ['late', '24'],
    ]);
    const shown = lines.filter((line) => line.type === 'credit');
    expect(shown.map((line) => [line.creditId, toPlain(line.amount), line.description])).toEqual([
      ['soon', '-5', 'Service credit: Outage in May'],
      ['late', '-24', 'Service credit'],
    ]);
  });

  it('a usage line explains itself: value, billable quantity, tiers, events, version and period', () => {
    const of = component({
      pricingModel: 'tiered',
      overagePrice: null,
      freeTier: decimal(100),
      tiers: tiers(['1000', '0.1'], [null, '0.05']),
    });
    const [line] = computeInvoice(input({ usages: [usage('1600', { component: of })] })).lines;
    expect(line).toEqual({
      ...emptyLine('usage', 'API calls: 1,600 units, 100 free'),
      ...ORIGIN,
      metricId: 'metric_1',
      quantity: decimal(1600),
      billableQuantity: decimal(1500),
      eventsCount: decimal(7),
      amount: decimal(125),
      tiers: [
        {
          upTo: decimal(1000),
          unitPrice: decimal('0.1'),
          flatFee: decimal(0),
          quantity: decimal(1000),
          amount: decimal(100),
        },
        { upTo: null, unitPrice: decimal('0.05'), flatFee: decimal(0), quantity: decimal(500), amount: decimal(25) },
      ],
    });
  });

  // "usage up to them is not billed again; beyond, the charge is price(usage) - price(prepaid), not below 0" (spec/prepaid-units#billing)
  it.each([
    ['40', '0'],
    ['50', '0'],
    ['80', '3'],
  ])('of %s units with 50 prepaid %s is charged', (quantity, expected) => {
    expect(money({ usages: [usage(quantity, { prepaidUnits: decimal(50) })] })).toMatchObject({ subtotal: expected });
  });

  it('refuses a credit line among those that wait', () => {
    expect(() => computeInvoice(input({ pending: [pending('credit', '-5')] }))).toThrow('credits');
  });
});

describe('computeInvoice against whole numbers of the smallest unit', () => {
  /** n / d rounded half away from zero, in integers. */
  function divide(n: bigint, d: bigint): bigint {
    const half = ((n < 0n ? -n : n) * 2n + d) / (2n * d);
    return n < 0n ? -half : half;
  }

  const life = fc.record({
    currency: fc.constantFrom('JPY', 'USD', 'KWD'),
    feeUnits: fc.bigInt({ min: 0n, max: 10n ** 7n }),
    billedDays: fc.integer({ min: 0, max: 30 }),
    quantities: fc.array(fc.bigInt({ min: 0n, max: 10n ** 9n }), { maxLength: 4 }),
    priceTrillionths: fc.bigInt({ min: 0n, max: 10n ** 13n }),
    lateThousandths: fc.bigInt({ min: -(10n ** 10n), max: 10n ** 9n }),
    taxThousandths: fc.bigInt({ min: 0n, max: 100_000n }),
    creditUnits: fc.array(fc.bigInt({ min: 0n, max: 10n ** 7n }), { maxLength: 3 }),
  });

  it('agrees to the unit, and its lines sum to its subtotal', () => {
    fc.assert(
      fc.property(life, (of) => {
        const places = currencyOf(of.currency).exponent;
        const units = (n: bigint): Decimal => decimal(n.toString()).shiftedBy(-places);
        const price = component({ overagePrice: decimal(of.priceTrillionths.toString()).shiftedBy(-12) });
        const invoice = computeInvoice(
          input({
            currency: of.currency,
            fees: [fee({ fee: units(of.feeUnits), billedDays: of.billedDays })],
            usages: of.quantities.map((quantity) => usage(quantity.toString(), { component: price })),
            pending: [pending('late_usage', units(of.lateThousandths).shiftedBy(-3).toFixed())],
            taxRate: decimal(of.taxThousandths.toString()).shiftedBy(-3),
            credits: of.creditUnits.map((n, i) =>
              credit({ creditId: `c${i}`, amountRemaining: units(n), currency: of.currency }),
            ),
          }),
        );

        const lines = [
          divide(of.feeUnits * BigInt(of.billedDays), 30n),
          ...of.quantities.map((q) => divide(q * of.priceTrillionths * 10n ** BigInt(places), 10n ** 12n)),
          divide(of.lateThousandths, 1000n),
        ];
        const subtotal = lines.reduce((a, b) => a + b, 0n);
        const tax = divide(subtotal * of.taxThousandths, 100_000n);
        const total = subtotal + tax;
        const credits = of.creditUnits.reduce((a, b) => a + b, 0n);
        // biome-ignore lint/complexity/useMathMinMax: Math.min takes no bigint.
        const applied = total <= 0n ? 0n : credits < total ? credits : total;
        const charged = invoice.lines.filter((line) => line.type !== 'credit');
        const asUnits = (amount: Decimal) => amount.shiftedBy(places).toFixed();
        expect(charged.map((line) => asUnits(line.amount))).toEqual(lines.map(String));
        expect(asUnits(invoice.subtotal)).toBe(String(subtotal));
        expect(asUnits(invoice.taxAmount)).toBe(String(tax));
        expect(asUnits(invoice.total)).toBe(String(total));
        expect(asUnits(invoice.creditsApplied)).toBe(String(applied));
        expect(asUnits(invoice.amountDue)).toBe(String(total > 0n ? total - applied : 0n));
        expect(asUnits(invoice.overpayment)).toBe(String(total < 0n ? -total : 0n));
        expect(invoice.status).toBe(total > applied ? 'open' : 'paid');
      }),
      { numRuns: 300 },
    );
  });
});
