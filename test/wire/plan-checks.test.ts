import { expect, test } from 'vitest';
import { DomainError } from '../../core/domain-error.ts';
import { parseExactJson } from '../../runtime/exact-json.ts';
import { validate } from '../../runtime/http/validate.ts';
import { planContradiction } from '../../wire/plan-checks.ts';
import { planCreate } from '../../wire/plans.ts';

/** What is said of a plan, and of its one component. */
function refusalOf(component: object, fields: object = {}): unknown {
  const components = [{ metric_id: 'metric_1', ...component }];
  const plan = { name: 'Pro', billing_period: 'monthly', components, ...fields };
  try {
    validate(planCreate, parseExactJson(JSON.stringify(plan)));
  } catch (error) {
    if (error instanceof DomainError) return error.fields;
    throw error;
  }
}

const tier = (up_to: number | string | null) => ({ up_to, unit_price: 1 });

test('tiers without a pricing model: it is the model that is missing', () => {
  expect(refusalOf({ tiers: [tier(null)] })).toEqual({
    'components.0.pricing_model': ['Must be tiered or volume where there are tiers; it is per_unit.'],
  });
});

test('tiers out of order: which two', () => {
  expect(refusalOf({ pricing_model: 'tiered', tiers: [tier(10), tier('2.50'), tier(2.5), tier(null)] })).toEqual({
    'components.0.tiers.1.up_to': ['Is 2.5, must be above tiers.0.up_to, which is 10.'],
    'components.0.tiers.2.up_to': ['Is 2.5, must be above tiers.1.up_to, which is 2.5.'],
  });
});

test('a price together with tiers contradicts itself, in a component and in a row of its price book', () => {
  const both = { overage_price: 1, tiers: [tier(null)] };
  expect(planContradiction({ components: [{}, both] })).toMatch(/^components\.1 has/);
  expect(planContradiction({ components: [{ prices: [{ overage_price: 1 }, both] }] })).toMatch(
    /^components\.0\.prices\.1 has/,
  );
  expect(planContradiction({ components: [null, { prices: [7, { tiers: [] }] }] })).toBeUndefined();
});

test('a price that is missing', () => {
  expect(refusalOf({})).toEqual({ 'components.0.overage_price': ['Required.'] });
});

test('a pricing model that is no text is refused, and what would go with it is not looked at', () => {
  const model = { toString: 1, valueOf: null };
  const refused = refusalOf({ pricing_model: model, per_event_maximum: 1, package_size: 2 }) as object;
  expect(Object.keys(refused)).toEqual(['components.0.pricing_model']);
});

test('limits that cross, of a component and of the plan, and a maximum below the fee: all at once', () => {
  const crossed = { minimum_amount: 50, maximum_amount: 40 };
  expect(refusalOf({ overage_price: 1, ...crossed })).toEqual({
    'components.0.minimum_amount': ['Must not be above maximum_amount, which is 40.'],
  });
  expect(refusalOf({ overage_price: 1, ...crossed }, { recurring_fee: 30, ...crossed })).toEqual({
    minimum_amount: ['Must not be above maximum_amount, which is 40.'],
    'components.0.minimum_amount': ['Must not be above maximum_amount, which is 40.'],
  });
  expect(refusalOf({ overage_price: 1 }, { recurring_fee: 50, ...crossed })).toEqual({
    maximum_amount: ['Must not be below recurring_fee, which is 50.'],
  });
  expect(refusalOf({ overage_price: 1, minimum_amount: -1 })).toEqual({
    'components.0.minimum_amount': ['Must not be negative.'],
  });
});

test('a percentage leaves nothing for prices and terms of a quantity; all at once', () => {
  const none = ['Is not allowed for percentage.'];
  expect(
    refusalOf({
      ...{ pricing_model: 'percentage', overage_price: 1, free_tier: 1, prepaid_units: 2, rounding: 'round_up' },
      ...{ package_size: 3, per_event_minimum: 2, per_event_maximum: 1.5 },
    }),
  ).toEqual({
    'components.0.percentage': ['Is required for percentage.'],
    'components.0.overage_price': none,
    'components.0.package_size': none,
    'components.0.free_tier': none,
    'components.0.prepaid_units': none,
    'components.0.rounding': none,
    'components.0.per_event_minimum': ['Is 2, must not be above per_event_maximum, which is 1.5.'],
  });
  expect(refusalOf({ pricing_model: 'percentage', percentage: 100.5 })).toEqual({
    'components.0.percentage': ['Must be from 0 to 100.'],
  });
  expect(refusalOf({ overage_price: 1, fixed_amount: 1 })).toEqual({
    'components.0.fixed_amount': ['Is only for percentage, not per_unit.'],
  });
});

test('a percentage as it is read back is taken', () => {
  const read = { free_tier: 0, overage_price: null, tiers: null, package_size: null, rounding: 'no_rounding' };
  expect(refusalOf({ pricing_model: 'percentage', percentage: 0, ...read, prepaid_units: 0 })).toBeUndefined();
});

test('a price book: rows, grouping and the price besides, all at once', () => {
  const book = { group_by: ['model', 'kind'], prices: [{ when: {}, overage_price: 1 }] };
  expect(refusalOf(book)).toBeUndefined();
  expect(refusalOf({ ...book, unmatched: 'price', overage_price: 2 })).toBeUndefined();
  expect(refusalOf({ ...book, unmatched: 'price' })).toEqual({ 'components.0.overage_price': ['Required.'] });
  expect(
    refusalOf({
      ...{ group_by: ['model', 'model'], overage_price: 1, free_tier: 3, prepaid_units: 1 },
      prices: [
        { when: { model: 1 }, overage_price: 1 },
        { when: { model: '1' }, from: null, overage_price: 2 },
        { when: { region: 'eu' }, from: '2026-11-12' },
      ],
    }),
  ).toEqual({
    'components.0.group_by.1': ['Is already listed.'],
    'components.0.free_tier': ['Is not allowed with a price book.'],
    'components.0.prepaid_units': ['Is not allowed with a price book.'],
    'components.0.overage_price': ['Is only for unmatched: price; rows have their own.'],
    'components.0.prices.1': ['Has the same when and from as prices.0.'],
    'components.0.prices.2.when.region': ['Is not in group_by.'],
    'components.0.prices.2.overage_price': ['Required.'],
  });
  expect(refusalOf({ overage_price: 1, unmatched: 'hold' })).toEqual({
    'components.0.unmatched': ['Is only for a price book: send group_by and prices.'],
  });
  expect(refusalOf({ prices: book.prices })).toEqual({ 'components.0.group_by': ['Is required with prices.'] });
  const bad = { when: { model: {} }, from: '2026-13-40', overage_price: 1 };
  expect(refusalOf({ ...book, prices: [bad] })).toEqual({
    'components.0.prices.0.when.model': ['Must be a text, a number, a boolean or null.'],
    'components.0.prices.0.from': ['Must be a date such as 2026-11-20, or a date-time with Z or an offset.'],
  });
});

test('__proto__ is no property that a price book asks for: a record would lose it, and its row price everything', () => {
  const prices = JSON.parse('[{"when":{"__proto__":"gpt"},"overage_price":1}]') as object[];
  expect(refusalOf({ group_by: ['model'], prices })).toEqual({
    'components.0.prices.0.when': ['Must not have the key __proto__.'],
    'components.0.prices.0.when.__proto__': ['Is not in group_by.'],
  });
  expect(refusalOf({ group_by: ['__proto__'], prices: [{ when: {}, overage_price: 1 }] })).toEqual({
    'components.0.group_by.0': ['Must not be __proto__.'],
  });
});
