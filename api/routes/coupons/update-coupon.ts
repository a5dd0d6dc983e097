import { updateCoupon as update } from '../../../services/discounts/update-coupon.ts';
import { couponPath, couponUpdate, couponWire } from '../../../wire/discounts/coupons.ts';
import { operation } from '../../operation.ts';

export const updateCoupon = operation({
  id: 'updateCoupon',
  method: 'patch',
  path: '/api/coupons/{coupon_id}',
  tag: 'Coupons',
  summary: 'Change the name of a coupon, and how often and until when it may be redeemed',
  description: 'What it takes off stays: make another coupon for that.',
  scope: 'write',
  audit: 'coupon.updated',
  params: couponPath,
  body: couponUpdate,
  success: 200,
  response: couponWire,
  run: ({ caller: { accountId }, params: { coupon_id: couponId }, body, write }) =>
    write((tx) => update(tx, { accountId, couponId }, body)),
});
