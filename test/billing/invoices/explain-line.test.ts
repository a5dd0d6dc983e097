import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explainLine, type LinePricing } from '../../../billing/invoices/explain-line.ts';
import type { InvoiceLine, NewInvoiceLine } from '../../../billing/invoices/invoice.ts';
import {
  addonLine,
  creditLine,
  emptyLine,
  feeLine,
  lateLine,
  prepaidLine,
  usageLine,
} from '../../../billing/invoices/invoice-lines.ts';
import type { UsageCharge } from '../../../billing/pricing/charges.ts';
import type { Component } from '../../../billing/pricing/rating.ts';
import { type Decimal, decimal, roundHalfAwayFromZero, toPlain, ZERO } from '../../../core/decimal.ts';
import { component, credit, tiers } from '../fixtures.ts';
import { anyComponent, anyQuantity } from '../pricing/pricing-fixtures.ts';

const ORIGIN = { subscriptionId: 'sub_1', planId: 'plan_1', version: 1, periodStart: 0, periodEnd: 1 };

/** The line as it is issued: rounded, with its id. */
function issued(line: NewInvoiceLine, places = 2): InvoiceLine {
  return { ...line, lineId: 'line_1', amount: roundHalfAwayFromZero(line.amount, places) };
}

function charge(of: Component, quantity: Decimal, prepaidUnits = ZERO): UsageCharge {
  return {
    ...ORIGIN,
    timeZone: 'UTC',
    metricName: 'Calls',
    component: of,
    quantity,
    eventsCount: quantity.abs(),
    prepaidUnits,
  };
}

type Counted = Partial<Pick<LinePricing, 'quantityBefore' | 'prepaidBefore' | 'byEvent' | 'byEventBefore'>>;

function told(line: InvoiceLine, of: Component | null, prepaidUnits = ZERO, counted: Counted = {}, places = 2) {
  const before = { quantityBefore: ZERO, prepaidBefore: prepaidUnits, ...counted };
  const steps = explainLine(line, of && { component: of, prepaidUnits, ...before }, places);
  return steps.map(({ step, text, value }) => `${step}: ${text} = ${toPlain(value)}`);
}

describe('explainLine', () => {
  it('tells rounding, free tier, each tier, their sum and the rounding of the amount (spec/rating#order)', () => {
    const of = component({
      pricingModel: 'tiered',
      overagePrice: null,
      rounding: 'round_up',
      freeTier: decimal(5),
      tiers: tiers(['10', '0.5', '1'], ['20', '0.333'], [null, '0.1']),
    });
    expect(told(issued(usageLine(charge(of, decimal('29.2')))), of)).toEqual([
      "quantity: The metric's value = 29.2",
      'round_quantity: Rounded up to whole units = 30',
      'free_tier: Minus 5 free units, not below 0 = 25',
      'tier: Tier up to 10: 10 × 0.5 + 1 for the tier = 6',
      'tier: Tier up to 20: 10 × 0.333 = 3.33',
      'tier: Last tier: 5 × 0.1 = 0.5',
      'sum: The sum of the tiers = 9.83',
      'round_amount: Rounded to 2 decimals, half away from zero = 9.83',
    ]);
  });

  it('tells packages and what was paid ahead: "price(usage) - price(prepaid), not below 0" (spec/rating#prepaid)', () => {
    const of = component({ pricingModel: 'package', packageSize: decimal(10), overagePrice: decimal(3) });
    expect(told(issued(usageLine(charge(of, decimal(1_041), decimal(20)))), of, decimal(20))).toEqual([
      "quantity: The metric's value = 1041",
      'price: 105 started packages of 10 × 3 = 315',
      'prepaid: Minus 6, the price of 20 units paid ahead, not below 0 = 309',
      'round_amount: Rounded to 2 decimals, half away from zero = 309',
    ]);
  });

  it('tells late usage as the difference of two charges (spec/invoices#late-usage)', () => {
    const of = component({ overagePrice: decimal('0.005') });
    const usage = (value: number) => ({ value: decimal(value), eventsCount: decimal(value) });
    const late = {
      ...ORIGIN,
      metricName: 'Calls',
      component: of,
      before: usage(2),
      after: usage(3),
      prepaidUnits: ZERO,
      prepaidBefore: ZERO,
    };
    expect(
      told(issued(lateLine(late, 2)), of, ZERO, { quantityBefore: decimal(2) }).filter((text) =>
        /late:|round/.test(text),
      ),
    ).toEqual([
      'round_amount: With the late events: Rounded to 2 decimals, half away from zero = 0.02',
      'round_amount: As billed before: Rounded to 2 decimals, half away from zero = 0.01',
      'late: 0.02 − 0.01, what was billed before = 0.01',
    ]);
  });

  it('tells fees, add-ons, prepaid units; what has no arithmetic says so', () => {
    const fee = { ...ORIGIN, planName: 'Pro', fee: decimal('29.99'), billedDays: 30, days: 30 };
    expect(told(issued(feeLine(fee)), null)[0]).toBe('price: 1 × 29.99 = 29.99');
    expect(told(issued(feeLine({ ...fee, billedDays: 7 })), null)).toEqual(['stated: As the line says. = 7']);
    const addon = {
      ...ORIGIN,
      addonSubscriptionId: 'x',
      addonId: 'addon_1',
      addonName: 'Seats',
      kind: 'quantity' as const,
      price: decimal('1.5'),
      quantity: decimal(3),
      periodIndex: 0,
    };
    expect(told(issued(addonLine(addon)), null)[0]).toBe('price: 3 × 1.5 = 4.5');
    const of = component();
    const prepaid = prepaidLine({ ...ORIGIN, metricName: 'Calls', component: of, units: decimal(50) });
    expect(told(issued(prepaid), of).at(-1)).toContain('= 5');
    const credited = creditLine({ credit: credit(), amount: decimal(4) });
    expect(told(issued(credited), null)).toEqual(['stated: As the line says. = -4']);
    expect(told(issued(emptyLine('proration', 'x')), null)).toEqual(['stated: As the line says. = 0']);
  });

  it('throws where the line is not by the rule', () => {
    const of = component();
    const line = { ...issued(usageLine(charge(of, decimal(10)))), amount: decimal(2) };
    expect(() => told(line, of)).toThrow('lead to 1, not 2');
  });

  it("its total equals the line's, always", () => {
    const places = fc.constantFrom(0, 2, 3);
    const prepaid = fc.constantFrom('0', '7', '12.5').map(decimal);
    fc.assert(
      fc.property(
        anyComponent,
        anyQuantity,
        anyQuantity,
        prepaid,
        prepaid,
        places,
        (of, before, after, units, prepaidBefore, digits) => {
          told(issued(usageLine(charge(of, after, units)), digits), of, units, {}, digits);
          told(
            issued(prepaidLine({ ...ORIGIN, metricName: 'Calls', component: of, units }), digits),
            of,
            units,
            {},
            digits,
          );
          const usage = (value: Decimal) => ({ value, eventsCount: ZERO });
          const late = { before: usage(before), after: usage(after), prepaidUnits: units, prepaidBefore };
          const line = lateLine({ ...ORIGIN, metricName: 'Calls', component: of, ...late }, digits);
          told(issued(line, digits), of, units, { quantityBefore: before, prepaidBefore }, digits);
        },
      ),
    );
  });

  it('tells what the events above 0 come to by a price each (spec/rating#percentage)', () => {
    const of = component({
      ...{ pricingModel: 'percentage', overagePrice: null, percentage: decimal('2.9'), fixedAmount: decimal('0.3') },
      perEventMaximum: decimal(10),
    });
    const byEvent = { billable: decimal(1105), amount: decimal('13.645') };
    const line = issued(usageLine({ ...charge(of, decimal(705)), byEvent }));
    expect(toPlain(line.amount)).toBe('13.65');
    const steps = [
      "quantity: The metric's value = 705",
      'billable: The events above 0 = 1105',
      'price: Each of them: 2.9 % + 0.3, at most 10 = 13.645',
      'round_amount: Rounded to 2 decimals, half away from zero = 13.65',
    ];
    expect(told(line, of, ZERO, { byEvent })).toEqual(steps);

    const after = { billable: decimal(1115), amount: decimal('14.235') };
    const late = lateLine(
      {
        ...{ ...ORIGIN, metricName: 'Payments', component: of, prepaidUnits: ZERO, prepaidBefore: ZERO },
        before: { value: decimal(705), eventsCount: decimal(4), byEvent },
        after: { value: decimal(715), eventsCount: decimal(5), byEvent: after },
      },
      2,
    );
    expect([late.amount, late.quantity, late.billableQuantity].map((x) => x && toPlain(x))).toEqual([
      '0.59',
      '10',
      '10',
    ]);
    const counted = { quantityBefore: decimal(705), byEvent: after, byEventBefore: byEvent };
    expect(told(issued(late), of, ZERO, counted).at(-1)).toBe('late: 14.24 − 13.65, what was billed before = 0.59');
  });
});
