import type { Decimal } from '../../core/decimal.ts';
import { conflict, contradiction } from '../../core/domain-error.ts';
import { type Instant, type LocalDate, localDateAt } from '../../core/instants.ts';
import type { LineType } from '../invoices/invoice.ts';
import { isLive } from '../subscriptions/states.ts';
import type { Customer, Subscription } from '../subscriptions/subscription.ts';

/** What it takes off: a percentage (above 0, to 100), or at most an amount of a currency (upper-case code). */
export type Off =
  | { percentOff: Decimal; amountOff: null; currency: null }
  | {
      percentOff: null;
      amountOff: Decimal;
      currency: string;
    };

/** How many invoices it lowers; `durationInPeriods` only where it is repeating. */
export type CouponDuration = 'once' | 'repeating' | 'forever';

/** Which lines a discount is for: those that fit every list; null: no such list. */
export type AppliesTo = {
  planIds: readonly string[] | null;
  metricIds: readonly string[] | null;
  lineTypes: readonly LineType[] | null;
};

/** Until when it may be redeemed: through a date of the customer's, or up to an instant. */
export type RedeemBy = { date: LocalDate } | { instant: Instant };

/** The terms of discounts (spec/discounts#coupons). */
export type Coupon = Off & {
  couponId: string;
  name: string;
  duration: CouponDuration;
  durationInPeriods: number | null;
  code: string | null;
  maxRedemptions: number | null;
  redeemBy: RedeemBy | null;
  appliesTo: AppliesTo | null;
  timesRedeemed: number;
  status: 'active' | 'archived';
  createdAt: Instant;
};

/** For how many invoices a discount of it lasts; null: for all. */
export function periodsOf({
  duration,
  durationInPeriods,
}: Pick<Coupon, 'duration' | 'durationInPeriods'>): number | null {
  if (duration === 'forever') return null;
  return duration === 'once' ? 1 : durationInPeriods;
}

/** Who redeems a coupon, when; `isRedeemed`: a discount of it is active on the subscription. */
export type Redemption = {
  subscription: Pick<Subscription, 'status' | 'planId'>;
  customer: Pick<Customer, 'currency' | 'timeZone'>;
  at: Instant;
  isRedeemed: boolean;
};

/**
 * Refuses what may not be redeemed (spec/discounts#redemption).
 * @throws DomainError `contradiction` for another currency; `conflict` for an ended subscription, a plan that the coupon does not
 * name, and a coupon that is archived, redeemed there, past its date or exhausted.
 */
export function assertRedeemable(coupon: Coupon, { subscription, customer, at, isRedeemed }: Redemption): void {
  const { currency, appliesTo, maxRedemptions, timesRedeemed } = coupon;
  const { planId, status } = subscription;
  if (currency !== null && currency !== customer.currency) {
    throw contradiction(`The coupon is in ${currency}, the customer is billed in ${customer.currency}.`);
  }
  if (!isLive(status)) throw conflict(`The subscription is ${status}.`);
  if (coupon.status === 'archived') throw conflict('The coupon is archived.');
  if (isRedeemed) throw conflict('The coupon is active on this subscription already.');
  if (appliesTo?.planIds && !appliesTo.planIds.includes(planId)) {
    throw conflict(`The coupon is not for plan ${planId}.`);
  }
  if (isPast(coupon.redeemBy, at, customer.timeZone)) throw conflict('The coupon can no longer be redeemed.');
  if (maxRedemptions !== null && timesRedeemed >= maxRedemptions) {
    throw conflict('The coupon has been redeemed as often as it may be.');
  }
}

function isPast(redeemBy: RedeemBy | null, at: Instant, timeZone: string): boolean {
  if (redeemBy === null) return false;
  return 'date' in redeemBy ? localDateAt(at, timeZone) > redeemBy.date : at > redeemBy.instant;
}
