import { assertRedeemable, periodsOf } from '../../billing/discounts/coupons.ts';
import type { Discount } from '../../billing/discounts/discounts.ts';
import { type DomainError, notFound } from '../../core/domain-error.ts';
import { newId } from '../../core/ids.ts';
import type { Instant } from '../../core/instants.ts';
import { type CouponName, findCoupon, lockCoupon, updateCouponRedeemed } from '../../sql/postgres/catalog/coupons.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { hasActiveDiscount } from '../../sql/postgres/subscriptions/discounts.ts';
import { type DiscountCreate, discountToWire } from '../../wire/discounts/discounts.ts';
import { created } from '../audit/audited.ts';
import { saveChanges } from '../billing/save-changes.ts';
import type { SubscriptionRef } from '../references.ts';
import { lockSubscriptionForUpdate, type SubscriptionNow } from '../subscriptions/lock-subscription.ts';

/**
 * Redeems a coupon for a subscription (spec/discounts#redemption). The coupon's row decides between calls at the same time.
 * @throws DomainError `not_found`, and as `assertRedeemable`
 */
export async function createDiscount(
  tx: Transaction,
  { accountId, subscriptionId }: SubscriptionRef,
  wanted: DiscountCreate,
  now: Instant,
) {
  const locked = await lockSubscriptionForUpdate(tx, accountId, subscriptionId, now);
  const discount = await redeemCoupon(tx, accountId, locked, wanted);
  return { ...created(discountToWire(discount)), customerId: discount.customerId };
}

/** {@link createDiscount} for a subscription that is locked, or being made. */
export async function redeemCoupon(
  tx: Transaction,
  accountId: string,
  { subscription, customer, at }: SubscriptionNow,
  wanted: DiscountCreate,
): Promise<Discount> {
  const name = nameOf(wanted);
  const coupon = await lockCoupon(tx, accountId, name);
  if (!coupon) throw noSuchCoupon(name);
  const { couponId } = coupon;
  const { subscriptionId } = subscription;
  const isRedeemed = await hasActiveDiscount(tx, accountId, { subscriptionId, couponId });
  assertRedeemable(coupon, { subscription, customer, at, isRedeemed });
  const discount: Discount = {
    ...{ discountId: newId('disc'), couponId, subscriptionId, customerId: customer.customerId },
    ...{ status: 'active', periodsUsed: 0, periodsRemaining: periodsOf(coupon), createdAt: at },
  };
  await saveChanges(tx, accountId, { discountsAdded: [discount] });
  await updateCouponRedeemed(tx, accountId, couponId);
  return discount;
}

/** Refuses a coupon that is unknown before anything is made. @throws DomainError `not_found` */
export async function assertCouponExists(tx: Transaction, accountId: string, wanted: DiscountCreate): Promise<void> {
  const name = nameOf(wanted);
  if (!(await findCoupon(tx, accountId, name))) throw noSuchCoupon(name);
}

function noSuchCoupon(name: CouponName): DomainError {
  return notFound('code' in name ? `coupon with code ${name.code}` : `coupon ${name.couponId}`);
}

function nameOf({ coupon_id: couponId, code }: DiscountCreate): CouponName {
  if (couponId !== undefined) return { couponId };
  if (code === undefined) throw new Error('a redemption without a coupon was let through');
  return { code };
}
