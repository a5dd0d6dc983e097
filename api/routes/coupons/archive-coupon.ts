import { archiveCoupon as archive } from '../../../services/discounts/archive-coupon.ts';
import { couponPath, couponWire } from '../../../wire/discounts/coupons.ts';
import { operation } from '../../operation.ts';

export const archiveCoupon = operation({
  id: 'archiveCoupon',
  method: 'post',
  path: '/api/coupons/{coupon_id}/archive',
  tag: 'Coupons',
  summary: 'Archive a coupon: it can no longer be redeemed',
  description: 'Discounts that were redeemed go on, and its code is free for another coupon.',
  scope: 'write',
  audit: 'coupon.archived',
  params: couponPath,
  success: 200,
  response: couponWire,
  errors: [409],
  run: ({ caller: { accountId }, params: { coupon_id: couponId }, write }) =>
    write((tx) => archive(tx, { accountId, couponId })),
});
