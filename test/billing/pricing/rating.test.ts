import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Component, prepaidPrice, priceBeyondPrepaid, rate } from '../../../billing/pricing/rating.ts';
import { roundQuantity } from '../../../billing/pricing/rounding.ts';
import { decimal, sum, toPlain, ZERO } from '../../../core/decimal.ts';
import { component, tiers } from '../fixtures.ts';

function amount(of: Component, quantity: string): string {
  return toPlain(rate(of, decimal(quantity)).amount);
}

describe('roundQuantity', () => {
  it.each([
    // spec/rating#rounding
    ['round_down', '5.9', '5'],
    ['round_up', '5.1', '6'],
    ['round_nearest', '5.5', '6'],
    ['round_nearest', '5.4', '5'],
    ['no_rounding', '5.9', '5.9'],
    // "half away from zero: 5.5 -> 6, 2.5 -> 3" (spec/rating#order)
    ['round_nearest', '2.5', '3'],
    ['round_nearest', '-2.5', '-3'],
    ['round_down', '5', '5'],
    ['round_up', '5', '5'],
    ['round_down', '-5.1', '-6'],
    ['round_up', '-5.9', '-5'],
    ['round_down', '5.5', '5'],
    ['round_up', '5.5', '6'],
  ] as const)('%s: %s becomes %s', (rounding, quantity, expected) => {
    expect(toPlain(roundQuantity(decimal(quantity), rounding))).toBe(expected);
  });
});

describe('rate', () => {
  // "quantity -> rounding once -> minus free_tier, not below 0 -> the model on what remains" (spec/rating#order)
  it.each([
    ['0', '0', '0'],
    ['100', '0', '0'],
    ['100.4', '0', '0'],
    ['100.5', '1', '0.1'],
    ['1234.5', '1135', '113.5'],
    ['-7', '0', '0'],
  ])('rounds %s before the free tier of 100: %s units cost %s', (quantity, billable, expected) => {
    const rating = rate(component({ freeTier: decimal(100), rounding: 'round_nearest' }), decimal(quantity));
    expect(toPlain(rating.quantity)).toBe(quantity);
    expect(toPlain(rating.billableQuantity)).toBe(billable);
    expect(toPlain(rating.amount)).toBe(expected);
    expect(rating.unitPrice?.eq('0.1')).toBe(true);
    expect(rating.tiers).toEqual([]);
  });

  it('rounds the quantity itself, not what is left after the free tier', () => {
    const of = component({ freeTier: decimal('0.5'), rounding: 'round_up' });
    expect(toPlain(rate(of, decimal('1.2')).billableQuantity)).toBe('1.5');
  });

  it('keeps unit prices of 12 decimals exact', () => {
    expect(amount(component({ overagePrice: decimal('0.000000000001') }), '3')).toBe('0.000000000003');
  });

  // "Tier edges are inclusive: a quantity equal to up_to is inside that tier, in tiered and in volume alike." (spec/rating#order)
  const edges = tiers(['10', '1', '5'], ['20', '0.5', '3'], [null, '0.25']);

  it.each([
    // "A tier's flat_fee is charged when any quantity above 0 falls in it (tiered)"
    ['0', '0', 0],
    ['0.5', '5.5', 1],
    ['10', '15', 1],
    ['10.5', '18.25', 2],
    ['20', '23', 2],
    ['21', '23.25', 3],
    ['40', '28', 3],
  ])('tiered: %s units cost %s and use %i tiers', (quantity, expected, used) => {
    const rating = rate(component({ pricingModel: 'tiered', tiers: edges, overagePrice: null }), decimal(quantity));
    expect(toPlain(rating.amount)).toBe(expected);
    expect(rating.unitPrice).toBeNull();
    expect(rating.tiers.map((tier) => tier.upTo)).toEqual(edges.slice(0, used).map((tier) => tier.upTo));
    expect(sum(rating.tiers.map((tier) => tier.quantity)).eq(quantity)).toBe(true);
  });

  it.each([
    // "or when it is the tier (volume); volume at 0 costs nothing"
    ['0', '0', null],
    ['0.5', '5.5', '10'],
    ['10', '15', '10'],
    ['10.5', '8.25', '20'],
    ['20', '13', '20'],
    ['21', '5.25', 'last'],
  ])('volume: %s units cost %s', (quantity, expected, upTo) => {
    const rating = rate(component({ pricingModel: 'volume', tiers: edges, overagePrice: null }), decimal(quantity));
    expect(toPlain(rating.amount)).toBe(expected);
    expect(rating.unitPrice).toBeNull();
    const used = rating.tiers.map((tier) => tier.upTo?.toFixed() ?? 'last');
    expect(used).toEqual(upTo === null ? [] : [upTo]);
  });

  it.each([
    // "package: price per started package_size"
    ['0', '0'],
    ['0.001', '7'],
    ['100', '7'],
    ['100.000000000000000001', '14'],
    ['250', '21'],
    ['99999999999999999999.000000000000000001', '7000000000000000000'],
  ])('package of 100 at 7: %s units cost %s', (quantity, expected) => {
    const of = component({ pricingModel: 'package', packageSize: decimal(100), overagePrice: decimal(7) });
    expect(amount(of, quantity)).toBe(expected);
  });

  it('is a bug, and says so, where a price lacks what its model needs', () => {
    const lacking = [{ overagePrice: null }, { pricingModel: 'tiered' }, { pricingModel: 'package' }] as const;
    for (const of of lacking) expect(() => component(of)).toThrow('is not whole');
    for (const pricingModel of ['tiered', 'volume'] as const) {
      const endless = component({ pricingModel, tiers: tiers(['10', '1']) });
      expect(() => rate(endless, decimal(11))).toThrow('the last tier has an end');
    }
  });
});

describe('properties of prices', () => {
  const price = fc.integer({ min: 0, max: 1_000 }).map((n) => decimal(n).shiftedBy(-3));
  const ladder = (flatFee: fc.Arbitrary<ReturnType<typeof decimal>>) =>
    fc
      .tuple(
        fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 4 }),
        fc.array(fc.tuple(price, flatFee), { minLength: 5, maxLength: 5 }),
      )
      .map(([edges, prices]) =>
        [...edges.sort((a, b) => a - b), null].map((edge, i) => ({
          upTo: edge === null ? null : decimal(edge),
          unitPrice: prices[i]?.[0] ?? ZERO,
          flatFee: prices[i]?.[1] ?? ZERO,
        })),
      );
  const units = fc.integer({ min: 0, max: 80 });

  it('tiered costs what counting unit by unit costs', () => {
    fc.assert(
      fc.property(ladder(price), units, (bands, quantity) => {
        let expected = ZERO;
        const entered = new Set<unknown>();
        for (let unit = 1; unit <= quantity; unit++) {
          const band = bands.find(({ upTo }) => upTo === null || upTo.gte(unit));
          if (band === undefined) throw new Error('no band');
          if (!entered.has(band)) expected = expected.plus(band.flatFee);
          entered.add(band);
          expected = expected.plus(band.unitPrice);
        }
        expect(amount(component({ pricingModel: 'tiered', tiers: bands }), `${quantity}`)).toBe(toPlain(expected));
      }),
    );
  });

  it('tiered is continuous without flat fees: a little more usage costs little more, at every edge', () => {
    fc.assert(
      fc.property(ladder(fc.constant(ZERO)), units, (bands, quantity) => {
        const of = component({ pricingModel: 'tiered', tiers: bands });
        const step = decimal('0.000001');
        const more = rate(of, decimal(quantity).plus(step)).amount.minus(rate(of, decimal(quantity)).amount);
        expect(more.gte(0) && more.lte(step)).toBe(true);
      }),
    );
  });

  it('tiered is continuous without flat fees: from any quantity to any other, no unit costs more than the dearest', () => {
    const quantity = fc.integer({ min: 0, max: 80_000 }).map((n) => decimal(n).shiftedBy(-3));
    fc.assert(
      fc.property(ladder(fc.constant(ZERO)), quantity, quantity, (bands, a, b) => {
        const of = component({ pricingModel: 'tiered', tiers: bands, freeTier: decimal(3) });
        const [less, more] = a.lt(b) ? [a, b] : [b, a];
        const dearest = bands.reduce((most, { unitPrice }) => (unitPrice.gt(most) ? unitPrice : most), ZERO);
        const rise = rate(of, more).amount.minus(rate(of, less).amount);
        expect(rise.gte(0) && rise.lte(dearest.times(more.minus(less)))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('per unit, tiered and package never cost less for more', () => {
    const models = ladder(price).chain((bands) =>
      fc.constantFrom(
        component({ pricingModel: 'tiered', tiers: bands, freeTier: decimal(3) }),
        component({ freeTier: decimal('2.5'), rounding: 'round_up' }),
        component({ pricingModel: 'package', packageSize: decimal(7), rounding: 'round_down' }),
      ),
    );
    const quantity = fc.integer({ min: -50, max: 800 }).map((n) => decimal(n).shiftedBy(-1));
    fc.assert(
      fc.property(models, quantity, quantity, (of, a, b) => {
        const [less, more] = a.lt(b) ? [a, b] : [b, a];
        expect(rate(of, more).amount.gte(rate(of, less).amount)).toBe(true);
      }),
    );
  });

  it('volume costs every unit the rate of the one tier that the total falls in', () => {
    fc.assert(
      fc.property(ladder(price), units, (bands, quantity) => {
        const last = bands.filter(({ upTo }) => upTo?.lt(quantity)).length;
        const tier = bands[last];
        const expected = quantity === 0 || !tier ? ZERO : tier.unitPrice.times(quantity).plus(tier.flatFee);
        expect(amount(component({ pricingModel: 'volume', tiers: bands }), `${quantity}`)).toBe(toPlain(expected));
      }),
    );
  });

  // "So a period costs the greater of price(usage) and price(prepaid)." (spec/rating#prepaid)
  it('prepaid and the usage beyond it together cost the greater of the two prices', () => {
    fc.assert(
      fc.property(
        ladder(price),
        units,
        units,
        fc.constantFrom('tiered', 'volume'),
        (bands, used, prepaid, pricingModel) => {
          const of = component({ pricingModel, tiers: bands, freeTier: decimal(5) });
          const usage = rate(of, decimal(used));
          const ahead = prepaidPrice(of, decimal(prepaid));
          const greater = usage.amount.gt(ahead) ? usage.amount : ahead;
          expect(ahead.plus(priceBeyondPrepaid(of, usage, decimal(prepaid))).eq(greater)).toBe(true);
        },
      ),
    );
  });
});
