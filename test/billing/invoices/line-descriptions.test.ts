import { describe, expect, it } from 'vitest';
import {
  describeCredit,
  describeFee,
  describePrepaid,
  describeUsage,
  groupDigits,
} from '../../../billing/invoices/line-descriptions.ts';
import { decimal } from '../../../core/decimal.ts';
import { component, credit } from '../fixtures.ts';

const ORIGIN = { subscriptionId: 'sub_1', planId: 'plan_1', version: 1, periodStart: 0, periodEnd: 1 };
const usage = {
  ...ORIGIN,
  metricName: 'API calls',
  component: component(),
  eventsCount: decimal(0),
  timeZone: 'UTC',
  prepaidUnits: decimal(0),
};
const fee = { ...ORIGIN, planName: 'Pro', fee: decimal(9), days: 30 };

describe('what people read', () => {
  it.each([
    ['0', '0'],
    ['999', '999'],
    ['1000', '1,000'],
    ['-1234567.8901', '-1,234,567.8901'],
    ['99999999999999999999', '99,999,999,999,999,999,999'],
    ['0.000001', '0.000001'],
  ])('%s is written %s', (text, expected) => {
    expect(groupDigits(decimal(text))).toBe(expected);
  });

  it.each([
    [describeFee({ ...fee, billedDays: 30 }), 'Pro: recurring fee'],
    [describeFee({ ...fee, billedDays: 10 }), 'Pro: recurring fee, 10 of 30 days'],
    [describeUsage({ ...usage, quantity: decimal(1234) }), 'API calls: 1,234 units'],
    [describeUsage({ ...usage, quantity: decimal(1) }), 'API calls: 1 unit'],
    [
      describeUsage({
        ...usage,
        quantity: decimal('1.5'),
        component: component({ freeTier: decimal(1000) }),
        prepaidUnits: decimal(50),
      }),
      'API calls: 1.5 units, 1,000 free, 50 prepaid',
    ],
    [describePrepaid({ ...usage, units: decimal(5000) }), 'API calls: 5,000 units prepaid'],
    [describeCredit(credit({ reason: 'goodwill_credit' })), 'Goodwill credit'],
    [
      describeCredit(credit({ reason: 'overpayment_credit', description: 'From INV-000001' })),
      'Overpayment credit: From INV-000001',
    ],
  ])('%s', (text, expected) => {
    expect(text).toBe(expected);
  });
});
