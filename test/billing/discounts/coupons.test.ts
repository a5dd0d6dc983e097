import { expect, test } from 'vitest';
import { assertRedeemable, type Coupon, periodsOf, type Redemption } from '../../../billing/discounts/coupons.ts';
import { decimal } from '../../../core/decimal.ts';
import { DomainError } from '../../../core/domain-error.ts';
import { at } from '../fixtures.ts';

const COUPON: Coupon = {
  ...{ couponId: 'coupon_1', name: 'Offer', percentOff: decimal(15), amountOff: null, currency: null },
  ...{ duration: 'forever', durationInPeriods: null, code: null, maxRedemptions: null, redeemBy: null },
  ...{ appliesTo: null, timesRedeemed: 0, status: 'active', createdAt: 0 },
};
const BY: Redemption = {
  subscription: { status: 'active', planId: 'plan_1' },
  customer: { currency: 'USD', timeZone: 'America/New_York' },
  at: at('2027-02-01T04:59:00Z'),
  isRedeemed: false,
};

function refusal(coupon: Partial<Coupon>, by: Partial<Redemption> = {}): string | null {
  try {
    assertRedeemable({ ...COUPON, ...coupon } as Coupon, { ...BY, ...by });
    return null;
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
}

// It is 31 January in New York for one minute more. spec/discounts#redemption
test.each<[string, string | null, Partial<Coupon>, Partial<Redemption>]>([
  ['one that may be redeemed', null, {}, {}],
  ['the last day, in the zone of the customer', null, { redeemBy: { date: '2027-01-31' } }, {}],
  ['a day later', 'conflict', { redeemBy: { date: '2027-01-31' } }, { at: at('2027-02-01T05:00:00Z') }],
  ['up to an instant', null, { redeemBy: { instant: BY.at } }, {}],
  ['after it', 'conflict', { redeemBy: { instant: BY.at - 1 } }, {}],
  ['the last of three', null, { maxRedemptions: 3, timesRedeemed: 2 }, {}],
  ['exhausted', 'conflict', { maxRedemptions: 3, timesRedeemed: 3 }, {}],
  ['archived', 'conflict', { status: 'archived' }, {}],
  ['active there', 'conflict', {}, { isRedeemed: true }],
  ['ended', 'conflict', {}, { subscription: { status: 'canceled', planId: 'plan_1' } }],
  ['to begin later', null, {}, { subscription: { status: 'pending', planId: 'plan_1' } }],
  ['another plan', 'conflict', { appliesTo: { planIds: ['plan_2'], metricIds: null, lineTypes: null } }, {}],
  ['another currency', 'contradiction', { percentOff: null, amountOff: decimal(5), currency: 'EUR' } as never, {}],
])('%s: %s', (_, kind, coupon, by) => {
  expect(refusal(coupon, by)).toBe(kind);
});

test('how many invoices it lowers', () => {
  expect(periodsOf({ duration: 'once', durationInPeriods: null })).toBe(1);
  expect(periodsOf({ duration: 'repeating', durationInPeriods: 3 })).toBe(3);
  expect(periodsOf({ duration: 'forever', durationInPeriods: null })).toBe(null);
});
