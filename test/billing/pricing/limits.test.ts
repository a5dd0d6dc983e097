import { expect, test } from 'vitest';
import { differenceToLimits, limitedBy, limitedSoFar } from '../../../billing/pricing/limits.ts';
import { decimal } from '../../../core/decimal.ts';

const amount = (x: number | null) => (x === null ? null : decimal(String(x)));

test.each([
  [33.5, 40, null, '6.5'],
  [40, 40, null, '0'],
  [140, null, 130, '-10'],
  [130, null, 130, '0'],
  [0, 40, 130, '40'],
  [100, 40, 130, '0'],
  // The minimums of a switched period may add up to more than the last plan's maximum, which holds.
  [20, 60, 50, '30'],
  [-5, 0, null, '5'],
])('%d within %s and %s: %s', (charged, minimum, maximum, difference) => {
  const limits = { minimumAmount: amount(minimum), maximumAmount: amount(maximum) };
  expect(differenceToLimits(decimal(String(charged)), limits).toFixed()).toBe(difference);
});

test('what has no limits has none', () => {
  expect(limitedBy(null, null)).toEqual({});
});

/** A plan of 60 in advance with usage months and at most 130 (docs/spec/rating.md#limits): to it came 150 of usage that is older than its billing period. */
test('usage that a switch has moved along counts in the later months of the billing period it began', () => {
  const of = { subscriptionId: 's2', begunAt: 300 };
  const lines = [
    { ...of, periodStart: 200, isTrueUp: false, amount: decimal(150) },
    { ...of, periodStart: 300, isTrueUp: true, amount: decimal(-80) },
  ];
  const month = { startsAt: 330, billing: { startsAt: 300 } };
  const { charged, truedUp } = limitedSoFar(lines, ['s2'], month);
  expect([charged.toFixed(), truedUp.toFixed()]).toEqual(['150', '-80']);
  expect(limitedSoFar(lines, ['s2'], { startsAt: 390, billing: { startsAt: 390 } }).charged.toFixed()).toBe('0');
});
