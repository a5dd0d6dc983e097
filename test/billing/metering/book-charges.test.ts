import { expect, test } from 'vitest';
import { usageLine } from '../../../billing/invoices/invoice-lines.ts';
import { bookCharges } from '../../../billing/metering/book-charges.ts';
import { bookQuestionOf, usageOfOne } from '../../../billing/metering/book-usage.ts';
import type { PriceBook } from '../../../billing/pricing/price-book.ts';
import { decimal, toPlain, ZERO } from '../../../core/decimal.ts';
import { component } from '../fixtures.ts';

const START = Date.UTC(2026, 10, 1);
const END = Date.UTC(2026, 11, 1);
const price = (text: string) => ({ pricingModel: 'per_unit', overagePrice: decimal(text) }) as const;
const common = { freeTier: ZERO, isOverride: false, addition: null };
const book: PriceBook = {
  groupBy: ['model'],
  rows: [
    { ...common, priceId: 'old', when: { model: 'a' }, from: null, price: price('0.1'), seq: 1n },
    { ...common, priceId: 'new', when: { model: 'a' }, from: '2026-11-12', price: price('0.07'), seq: 2n },
  ],
  unmatched: 'hold',
};

test('10 units at 0.10 and 10 at 0.07 are two lines, and what no row prices is held (spec/price-books#lines)', () => {
  const of = component({ overagePrice: null, pricingModel: null });
  const booked = { ...of, book };
  const window = { planId: 'plan_1', version: 1, metricId: 'metric_1', startsAt: START, endsAt: END };
  const question = bookQuestionOf(booked, window, { timeZone: 'UTC', testClockId: null });
  if (!question) throw new Error('a component with a price book has no question');
  const ten = (model: string, day: number) =>
    usageOfOne(question, { model }, { value: decimal(10), at: Date.UTC(2026, 10, day) });
  const combinations = [ten('z', 3), ten('a', 12), ten('a', 11)];
  const counted = { prepaidUnits: null, movesUnits: true, component: booked, value: ZERO, eventsCount: ZERO };
  const charged = bookCharges({ ...window, ...counted, combinations, book: question }, book, {
    ...{ subscriptionId: 'sub_1', planId: 'plan_1', version: 1, timeZone: 'UTC', metricName: 'Tokens' },
  });
  const lines = charged.usages.map(usageLine);
  expect(lines.map(({ amount, priceId }) => [toPlain(amount), priceId])).toEqual([
    ['1', 'old'],
    ['0.7', 'new'],
  ]);
  expect(lines.map(({ periodEnd }) => periodEnd)).toEqual([Date.UTC(2026, 10, 12), END]);
  expect(charged.held).toMatchObject([{ group: { model: 'z' }, periodStart: START, periodEnd: END, rowsKnown: 2n }]);
});
