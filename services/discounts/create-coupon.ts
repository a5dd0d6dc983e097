import type { Coupon, Off } from '../../billing/discounts/coupons.ts';
import { currencyOf } from '../../core/currencies.ts';
import { conflict, invalid, notFound } from '../../core/domain-error.ts';
import { newId } from '../../core/ids.ts';
import type { Instant } from '../../core/instants.ts';
import { insertCoupon } from '../../sql/postgres/catalog/coupons.ts';
import { findMetrics } from '../../sql/postgres/catalog/metrics.ts';
import { findPlanCurrency } from '../../sql/postgres/catalog/plans.ts';
import { type Transaction, violates } from '../../sql/postgres/postgres.ts';
import { type CouponCreate, couponToWire } from '../../wire/discounts/coupons.ts';
import { created } from '../audit/audited.ts';

/**
 * Makes a coupon.
 * @throws DomainError `invalid` for an amount finer than its currency; `not_found` for a plan or metric that is unknown; `conflict`
 * for the code of another active coupon.
 */
export async function createCoupon(tx: Transaction, accountId: string, wanted: CouponCreate, now: Instant) {
  const { applies_to: lists } = wanted;
  const appliesTo = lists
    ? { planIds: lists.plan_ids ?? null, metricIds: lists.metric_ids ?? null, lineTypes: lists.line_types ?? null }
    : null;
  const coupon: Coupon = {
    couponId: newId('coupon'),
    name: wanted.name,
    ...offOf(wanted),
    duration: wanted.duration,
    durationInPeriods: wanted.duration_in_periods ?? null,
    code: wanted.code ?? null,
    maxRedemptions: wanted.max_redemptions ?? null,
    redeemBy: wanted.redeem_by ?? null,
    appliesTo,
    timesRedeemed: 0,
    status: 'active',
    createdAt: now,
  };
  await assertKnown(tx, accountId, coupon);
  await insertCoupon(tx, accountId, coupon).catch((error) => {
    if (!violates(error, 'coupons_code')) throw error;
    throw conflict(`Another active coupon has the code ${coupon.code}.`);
  });
  return created(couponToWire(coupon));
}

function offOf({ percent_off, amount_off, currency }: CouponCreate): Off {
  if (percent_off) return { percentOff: percent_off, amountOff: null, currency: null };
  if (!amount_off || !currency) throw new Error('a coupon that takes nothing off was let through');
  const { exponent } = currencyOf(currency);
  if ((amount_off.decimalPlaces() ?? 0) > exponent) {
    throw invalid({ amount_off: [`Must have at most ${exponent} decimals in ${currency}.`] });
  }
  return { percentOff: null, amountOff: amount_off, currency };
}

async function assertKnown(tx: Transaction, accountId: string, { appliesTo }: Coupon): Promise<void> {
  for (const planId of appliesTo?.planIds ?? []) {
    if ((await findPlanCurrency(tx, accountId, planId)) === undefined) throw notFound(`plan ${planId}`);
  }
  const metricIds = [...(appliesTo?.metricIds ?? [])];
  const metrics = metricIds.length === 0 ? [] : await findMetrics(tx, accountId, metricIds);
  const unknown = metricIds.find((id) => !metrics.some(({ metricId }) => metricId === id));
  if (unknown !== undefined) throw notFound(`metric ${unknown}`);
}
