import { notFound } from '../../../core/domain-error.ts';
import { findCoupon } from '../../../sql/postgres/catalog/coupons.ts';
import { couponPath, couponToWire, couponWire } from '../../../wire/discounts/coupons.ts';
import { operation } from '../../operation.ts';

export const retrieveCoupon = operation({
  id: 'retrieveCoupon',
  method: 'get',
  path: '/api/coupons/{coupon_id}',
  tag: 'Coupons',
  summary: 'Retrieve a coupon',
  scope: 'read',
  params: couponPath,
  success: 200,
  response: couponWire,
  run: ({ caller, params, read }) =>
    read(async (tx) => {
      const coupon = await findCoupon(tx, caller.accountId, { couponId: params.coupon_id });
      if (!coupon) throw notFound(`coupon ${params.coupon_id}`);
      return couponToWire(coupon);
    }),
});
