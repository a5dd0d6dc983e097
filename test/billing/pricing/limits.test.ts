import { expect, test } from 'vitest';
import { differenceToLimits, limitedBy } from '../../../billing/pricing/limits.ts';
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
