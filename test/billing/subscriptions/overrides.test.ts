import { describe, expect, test } from 'vitest';
import { fieldsOfPrice, NO_PRICE } from '../../../billing/pricing/price.ts';
import type { PriceBook, PriceRow, PropertyTexts } from '../../../billing/pricing/price-book.ts';
import type { Overrides } from '../../../billing/subscriptions/agreement.ts';
import { agreedOn, overriddenPlan, overridesOfLine, planInCurrency } from '../../../billing/subscriptions/overrides.ts';
import { decimal, ZERO } from '../../../core/decimal.ts';
import { component, plan, tiers } from '../fixtures.ts';

/** Prices that are agreed on with one subscription, and prices in further currencies (spec/plans#overrides, spec/plans#currencies). */
const packages = component({
  metricId: 'bytes',
  pricingModel: 'package',
  overagePrice: decimal(5),
  packageSize: decimal(100),
});
const PLAN = plan({
  components: [component(), packages],
  limits: { minimumAmount: decimal(10), maximumAmount: decimal(500) },
});

const row = (priceId: string, when: PropertyTexts, price: string): PriceRow => ({
  ...{ priceId, when, from: null, freeTier: ZERO, isOverride: false, addition: null, seq: 0n },
  price: { pricingModel: 'per_unit', overagePrice: decimal(price) },
});
const book: PriceBook = {
  groupBy: ['model'],
  rows: [row('price_a', { model: 'a' }, '0.1'), row('price_b', { model: 'b' }, '0.2')],
  unmatched: 'price',
};
const BOOKED = plan({ components: [{ ...component(), book }] });

const priceOf = (overrides: Overrides, metricId: string) => {
  const found = overriddenPlan(PLAN, overrides).components.find((one) => one.metricId === metricId);
  if (!found) throw new Error(`no component of ${metricId}`);
  return fieldsOfPrice(found);
};

describe('overrides', () => {
  test('what is not named stays', () => {
    expect(overriddenPlan(PLAN, {})).toEqual(PLAN);
    const changed = overriddenPlan(PLAN, { recurringFee: decimal(19) });
    expect(changed).toEqual({ ...PLAN, recurringFee: decimal(19) });
  });

  test('a field of a price replaces itself, a pricing model all of them', () => {
    const cheaper = { components: [{ metricId: 'bytes', overagePrice: decimal(4) }] };
    expect(priceOf(cheaper, 'bytes')).toEqual({ ...fieldsOfPrice(packages), overagePrice: decimal(4) });
    const perUnit = { pricingModel: 'per_unit', overagePrice: decimal('0.04') } as const;
    const modelled = { components: [{ metricId: 'bytes', ...perUnit }] };
    expect(priceOf(modelled, 'bytes')).toEqual({ ...NO_PRICE, ...perUnit });
    const ladder = { pricingModel: 'volume', tiers: tiers([null, '0.01']) } as const;
    const tiered = { components: [{ metricId: 'metric_1', ...ladder }] };
    expect(priceOf(tiered, 'metric_1')).toEqual({ ...NO_PRICE, ...ladder });
  });

  test('a limit of null takes it away, the other stays', () => {
    const { limits } = overriddenPlan(PLAN, { minimumAmount: null });
    expect(limits).toEqual({ minimumAmount: null, maximumAmount: decimal(500) });
    expect(overriddenPlan(PLAN, { minimumAmount: null, maximumAmount: null })).not.toHaveProperty('limits');
  });
});

describe('overrides of a price book', () => {
  const prices = [row('price_mine', {}, '0.05')];
  const components = [{ metricId: 'metric_1', overagePrice: decimal('0.3'), prices }];
  const [first, ...others] = overriddenPlan(BOOKED, { components }).components;

  test('come before the rows of the plan, which stay', () => {
    expect(first?.book).toEqual({ ...book, rows: [{ ...prices[0], isOverride: true }, ...book.rows] });
    expect(first && fieldsOfPrice(first).overagePrice).toEqual(decimal('0.3'));
    expect(others).toEqual([]);
  });

  test('a line is overridden by the row of theirs, or the price beside the book, that priced it', () => {
    const [both] = components;
    const of = (priceId?: string) => {
      return overridesOfLine({ type: 'usage', metricId: 'metric_1', ...(priceId && { priceId }) }, { components });
    };
    expect(of('price_a')).toBeNull();
    expect(of('price_mine')).toEqual({ components: [{ metricId: 'metric_1', prices }] });
    expect(of()).toEqual({ components: [{ metricId: 'metric_1', overagePrice: both?.overagePrice }] });
    expect(
      overridesOfLine({ type: 'usage', metricId: 'metric_1' }, { components: [{ metricId: 'metric_1', prices }] }),
    ).toBe(null);
  });
});

describe('another currency', () => {
  const option: Overrides = {
    recurringFee: decimal(27),
    components: [
      { metricId: 'metric_1', overagePrice: decimal('0.09') },
      { metricId: 'bytes', overagePrice: decimal('4.5') },
    ],
  };

  test('takes its amounts, and of the plan what is no money', () => {
    const { currency, recurringFee, components, ...rest } = planInCurrency(PLAN, 'EUR', option);
    expect([currency, recurringFee.toFixed(2)]).toEqual(['EUR', '27.00']);
    expect(components.map(fieldsOfPrice)).toEqual([
      { ...NO_PRICE, pricingModel: 'per_unit', overagePrice: decimal('0.09') },
      { ...NO_PRICE, pricingModel: 'package', overagePrice: decimal('4.5'), packageSize: decimal(100) },
    ]);
    expect(rest).not.toHaveProperty('limits');
  });

  test('never charges an amount of the plan that it does not name', () => {
    const [, second] = option.components ?? [];
    expect(() => planInCurrency(PLAN, 'EUR', { components: second ? [second] : [] })).toThrow('not whole');
    const unrowed = { components: [{ metricId: 'metric_1', overagePrice: decimal('0.09') }] };
    expect(() => planInCurrency(BOOKED, 'EUR', unrowed)).toThrow('no rows');
  });

  test('has price books of its own', () => {
    const prices = [row('price_eur', {}, '0.04')];
    const rows = { components: [{ metricId: 'metric_1', overagePrice: decimal('0.09'), prices }] };
    const [only] = planInCurrency(BOOKED, 'EUR', rows).components;
    expect(only?.book).toEqual({ ...book, rows: prices });
  });
});

test('a line is overridden where what prices it was agreed on', () => {
  const overrides = { recurringFee: decimal(19), components: [{ metricId: 'bytes', overagePrice: decimal(4) }] };
  const agreed = plan({ version: -4, agreement: { basedOn: { version: 3, versionId: 'planv_3' }, overrides } });
  const of = (type: string, metricId: string | null) => agreedOn({ type, metricId }, agreed).agreed;
  expect(of('recurring_fee', null)).toEqual({ version: 3, overridden: true });
  expect(of('late_usage', 'bytes')).toEqual({ version: 3, overridden: true });
  expect(of('usage', 'metric_1')).toEqual({ version: 3, overridden: false });
  expect(of('addon', null)).toEqual({ version: 3, overridden: false });
  expect(of('true_up', null)).toEqual({ version: 3, overridden: false });
  expect(agreedOn({ type: 'usage', metricId: 'bytes' }, PLAN)).toEqual({});
});
