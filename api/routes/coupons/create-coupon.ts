import { createCoupon as create } from '../../../services/discounts/create-coupon.ts';
import { couponCreate, couponWire } from '../../../wire/discounts/coupons.ts';
import { operation } from '../../operation.ts';

export const createCoupon = operation({
  id: 'createCoupon',
  method: 'post',
  path: '/api/coupons',
  tag: 'Coupons',
  summary: 'Create a coupon',
  description: 'Takes a percentage, or at most an amount, off the invoices of subscriptions that redeem it.',
  scope: 'write',
  audit: 'coupon.created',
  body: couponCreate,
  success: 201,
  response: couponWire,
  errors: [404, 409],
  run: ({ caller, body, now, write }) => write((tx) => create(tx, caller.accountId, body, now)),
});
