import { z } from '@hono/zod-openapi';
import { listCoupons as listCouponPage } from '../../../sql/postgres/catalog/coupons.ts';
import { COUPON_STATUSES, couponToWire, couponWire } from '../../../wire/discounts/coupons.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery } from '../../pages.ts';

export const listCoupons = operation({
  id: 'listCoupons',
  method: 'get',
  path: '/api/coupons',
  tag: 'Coupons',
  summary: 'List coupons, newest first',
  scope: 'read',
  query: pageQuery.extend({
    status: z
      .enum(COUPON_STATUSES)
      .optional()
      .openapi({ description: 'Only coupons in this state.', example: 'active' }),
  }),
  success: 200,
  response: listOf(couponWire),
  run: ({ caller, query, listing, read }) =>
    read(async (tx) => {
      const page = await listCouponPage(tx, caller.accountId, { status: query.status }, listing.window);
      return listing.answer(page, couponToWire);
    }),
});
