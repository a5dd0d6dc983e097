import { describe, expect, test } from 'vitest';
import { assertMayPay, assertStaysAlike } from '../../../billing/accounts/payers.ts';

/** Who may be billed for whom (spec/customers#one-payer). */
const PARTY = { currency: 'USD', timeZone: 'UTC', testClockId: null, billedTo: null, isPayer: false };
const child = { ...PARTY, customerId: 'child' };
const payer = { ...PARTY, customerId: 'payer' };

test('a customer of the same currency, zone and clock may pay, also for several', () => {
  expect(() => assertMayPay(payer, child, 'payer')).not.toThrow();
  expect(() => assertMayPay({ ...payer, isPayer: true }, child, 'payer')).not.toThrow();
});

test.each([
  ['itself', child, child, 'invalid'],
  ['nobody', undefined, child, 'not_found'],
  ['one that has a payer', { ...payer, billedTo: 'other' }, child, 'conflict'],
  ['one for a payer', payer, { ...child, isPayer: true }, 'conflict'],
  ['another currency', { ...payer, currency: 'EUR' }, child, 'contradiction'],
  ['another zone', { ...payer, timeZone: 'Europe/Paris' }, child, 'contradiction'],
  ['another clock', { ...payer, testClockId: 'clock_1' }, child, 'contradiction'],
])('not %s', (_, of, customer, code) => {
  const payerId = of?.customerId ?? 'nobody';
  expect(() => assertMayPay(of, customer, payerId)).toThrow(expect.objectContaining({ code }));
});

describe('what both have in common stays', () => {
  const zoned = { timeZone: 'Europe/Paris' };

  test.each([
    ['of a payer', { ...payer, isPayer: true }],
    ['of one that has a payer', { ...child, billedTo: 'payer' }],
  ])('%s', (_, party) => {
    expect(() => assertStaysAlike(party, { ...party, ...zoned })).toThrow(
      expect.objectContaining({ code: 'conflict' }),
    );
    expect(() => assertStaysAlike(party, party)).not.toThrow();
  });

  test('not of any other', () => expect(() => assertStaysAlike(child, { ...child, ...zoned })).not.toThrow());
});
