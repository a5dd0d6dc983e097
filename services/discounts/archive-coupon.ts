import { conflict, notFound } from '../../core/domain-error.ts';
import { lockCoupon, updateCoupon } from '../../sql/postgres/catalog/coupons.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { couponToWire } from '../../wire/discounts/coupons.ts';
import { changed } from '../audit/audited.ts';
import type { CouponRef } from '../references.ts';

/** Archives a coupon: it can no longer be redeemed. @throws DomainError `not_found`; `conflict` where it is archived already */
export async function archiveCoupon(tx: Transaction, { accountId, couponId }: CouponRef) {
  const coupon = await lockCoupon(tx, accountId, { couponId });
  if (!coupon) throw notFound(`coupon ${couponId}`);
  if (coupon.status === 'archived') throw conflict('The coupon is archived already.');
  const archived = { ...coupon, status: 'archived' as const };
  await updateCoupon(tx, accountId, archived);
  return changed(couponToWire(coupon), couponToWire(archived));
}
