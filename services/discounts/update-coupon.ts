import type { Coupon } from '../../billing/discounts/coupons.ts';
import { notFound } from '../../core/domain-error.ts';
import { lockCoupon, updateCoupon as saveCoupon } from '../../sql/postgres/catalog/coupons.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { type CouponUpdate, couponToWire } from '../../wire/discounts/coupons.ts';
import { changed } from '../audit/audited.ts';
import type { CouponRef } from '../references.ts';

/** Changes the name of a coupon, and how often and until when it may be redeemed. @throws DomainError `not_found` */
export async function updateCoupon(tx: Transaction, { accountId, couponId }: CouponRef, changes: CouponUpdate) {
  const coupon = await lockCoupon(tx, accountId, { couponId });
  if (!coupon) throw notFound(`coupon ${couponId}`);
  const { name = coupon.name, max_redemptions, redeem_by } = changes;
  const updated: Coupon = {
    ...coupon,
    name,
    maxRedemptions: max_redemptions === undefined ? coupon.maxRedemptions : max_redemptions,
    redeemBy: redeem_by === undefined ? coupon.redeemBy : redeem_by,
  };
  await saveCoupon(tx, accountId, updated);
  return changed(couponToWire(coupon), couponToWire(updated));
}
