import { expect, it } from 'vitest';
import { prepaidBalance } from '../../../billing/subscriptions/prepaid-balance.ts';
import { decimal, toPlain } from '../../../core/decimal.ts';

it.each([
  ['100', '0', '0', '100'],
  ['100', '30.5', '30.5', '69.5'],
  ['100', '100', '100', '0'],
  ['100', '250', '100', '0'],
  ['100', '-7', '0', '100'],
  ['0', '7', '0', '0'],
])('of %s units a usage of %s uses %s and leaves %s', (units, value, used, remaining) => {
  const balance = prepaidBalance('metric_1', decimal(units), decimal(value));
  expect([toPlain(balance.used), toPlain(balance.remaining)]).toEqual([used, remaining]);
});
