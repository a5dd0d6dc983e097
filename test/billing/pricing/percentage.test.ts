import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PercentagePrice, priceEvents, priceOfEvent } from '../../../billing/pricing/percentage.ts';
import { rate } from '../../../billing/pricing/rating.ts';
import { decimal, toPlain } from '../../../core/decimal.ts';
import { component } from '../fixtures.ts';

const CARD = { percentage: '2.9', fixed: '0.30', least: '0.50', most: '10' };

function price(of: { percentage: string; fixed?: string; least?: string; most?: string }): PercentagePrice {
  return {
    pricingModel: 'percentage',
    percentage: decimal(of.percentage),
    fixedAmount: decimal(of.fixed ?? 0),
    perEventMinimum: of.least === undefined ? null : decimal(of.least),
    perEventMaximum: of.most === undefined ? null : decimal(of.most),
  };
}

describe('percentage', () => {
  it.each([
    // By hand: 0.145 + 0.30 = 0.445, raised; 2.90 + 0.30; 29.00 + 0.30, lowered (spec/rating#percentage).
    ['5', '0.5'],
    ['100', '3.2'],
    ['1000', '10'],
    ['0', '0'],
    ['-100', '0'],
    ['0.000000000000000001', '0.5'],
  ])('2.9 %% + 0.30, 0.50 to 10.00, of %s is %s', (value, expected) => {
    expect(toPlain(priceOfEvent(price(CARD), decimal(value)))).toBe(expected);
  });

  it('sums exact prices: 5, 100 and 1000 are 13.70, and what is 0 or less only lowers the value', () => {
    const values = ['5', '100', '1000', '-400', '0'].map((text) => decimal(text));
    const byEvent = priceEvents(price(CARD), values);
    const of = component({ ...price(CARD), overagePrice: null });
    const { quantity, billableQuantity, amount, unitPrice, tiers } = rate(of, decimal(705), byEvent);
    expect([quantity, billableQuantity, amount].map(toPlain)).toEqual(['705', '1105', '13.7']);
    expect([unitPrice, tiers]).toEqual([null, []]);
  });

  it('rounds no event: three of 0.333 % of 1 are 0.00999', () => {
    const values = [decimal(1), decimal(1), decimal(1)];
    expect(toPlain(priceEvents(price({ percentage: '0.333' }), values).amount)).toBe('0.00999');
  });

  it('lies between its bounds, and is as much for the events in any order and any parts', () => {
    const cents = fc.integer({ min: -50_000, max: 500_000 }).map((units) => decimal(units).shiftedBy(-2));
    fc.assert(
      fc.property(fc.array(cents, { maxLength: 20 }), fc.nat(20), (values, cut) => {
        const all = priceEvents(price(CARD), values);
        const parts = [values.slice(0, cut), values.slice(cut).toReversed()].map((some) =>
          priceEvents(price(CARD), some),
        );
        expect(toPlain(all.amount)).toBe(toPlain(parts.reduce((sum, { amount }) => sum.plus(amount), decimal(0))));
        const paying = values.filter((value) => value.gt(0)).length;
        expect(all.amount.gte(decimal('0.5').times(paying)) && all.amount.lte(decimal(10).times(paying))).toBe(true);
      }),
    );
  });

  it('is not rated without its events', () => {
    const of = component({ ...price(CARD), overagePrice: null });
    expect(() => rate(of, decimal(5))).toThrow('have not been priced');
  });
});
