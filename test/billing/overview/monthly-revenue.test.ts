import { expect, test } from 'vitest';
import { monthlyRevenue, type RecurringSum } from '../../../billing/overview/monthly-revenue.ts';
import { decimal } from '../../../core/decimal.ts';

function sums(amounts: Partial<Record<RecurringSum['billingPeriod'], string>>): RecurringSum[] {
  return Object.entries(amounts).map(([billingPeriod, amount]) => ({
    billingPeriod: billingPeriod as RecurringSum['billingPeriod'],
    amount: decimal(amount),
  }));
}

test.each([
  [{ monthly: '35', quarterly: '90', annual: '1200' }, 2, '165.00'],
  [{}, 2, '0.00'],
  [{ quarterly: '100', annual: '100' }, 2, '41.67'],
  // 0.335: each of them rounded by itself would be 0.00 + 0.33.
  [{ quarterly: '0.01', annual: '3.98' }, 2, '0.34'],
  [{ annual: '6' }, 0, '1'],
  [{ annual: '5.9' }, 0, '0'],
  [{ monthly: '12345678901234567890.12' }, 2, '12345678901234567890.12'],
])('%j at %i decimals is %s a month', (amounts, places, expected) => {
  expect(monthlyRevenue(sums(amounts), places).toFixed(places)).toBe(expected);
});
