import type { AppliesTo, Coupon, Off } from '../../../billing/discounts/coupons.ts';
import { decimal } from '../../../core/decimal.ts';
import { type Instant, isoFromInstant, type LocalDate } from '../../../core/instants.ts';
import { findPage, type PageOf, type PageWindow } from '../page-window.ts';
import { firstRow, type Transaction } from '../postgres.ts';

/** What a coupon takes off and of what, as it is stored. */
export type CouponTermsRow = {
  percent_off: string | null;
  amount_off: string | null;
  currency: string | null;
  plan_ids: AppliesTo['planIds'];
  metric_ids: AppliesTo['metricIds'];
  line_types: AppliesTo['lineTypes'];
};

type CouponRow = CouponTermsRow & {
  coupon_id: string;
  name: string;
  duration: Coupon['duration'];
  duration_in_periods: number | null;
  code: string | null;
  max_redemptions: number | null;
  redeem_by_date: LocalDate | null;
  redeem_by: Instant | null;
  times_redeemed: number;
  status: Coupon['status'];
  created_at: Instant;
};

const COLUMNS = `c.coupon_id, c.name, c.percent_off, c.amount_off, c.currency, c.plan_ids, c.metric_ids, c.line_types, c.duration,
  c.duration_in_periods, c.code, c.max_redemptions, c.redeem_by_date, c.redeem_by, c.times_redeemed, c.status, c.created_at`;

/** A coupon by its id, or by the code of one that is active, in any case. */
export type CouponName = { couponId: string } | { code: string };

function whereNamed(name: CouponName): [sql: string, value: string] {
  if ('couponId' in name) return ['c.coupon_id = $2', name.couponId];
  return [`upper(c.code) = upper($2) AND c.status = 'active'`, name.code];
}

/** The coupon, or undefined where this account has none of that name. */
export async function findCoupon(tx: Transaction, accountId: string, name: CouponName): Promise<Coupon | undefined> {
  const [where, value] = whereNamed(name);
  const sql = `SELECT ${COLUMNS} FROM coupons c WHERE c.account_id = $1 AND ${where}`;
  const row = firstRow(await tx.query<CouponRow>(sql, [accountId, value]));
  return row && couponFromRow(row);
}

/** As {@link findCoupon}, locked until the transaction ends: redemptions of it are made one after another. */
export async function lockCoupon(tx: Transaction, accountId: string, name: CouponName): Promise<Coupon | undefined> {
  const [where, value] = whereNamed(name);
  const sql = `SELECT ${COLUMNS} FROM coupons c WHERE c.account_id = $1 AND ${where} FOR NO KEY UPDATE`;
  const row = firstRow(await tx.query<CouponRow>(sql, [accountId, value]));
  return row && couponFromRow(row);
}

/** One page of an account's coupons, newest first. */
export function listCoupons(
  tx: Transaction,
  accountId: string,
  { status }: { status: Coupon['status'] | undefined },
  window: PageWindow,
): Promise<PageOf<Coupon>> {
  const equals = { account_id: accountId, status };
  return findPage(tx, { select: COLUMNS, table: ['coupons', 'c'], equals }, window, couponFromRow);
}

/** Stores a new coupon. */
export async function insertCoupon(tx: Transaction, accountId: string, coupon: Coupon): Promise<void> {
  const { appliesTo } = coupon;
  await tx.query(
    `INSERT INTO coupons (account_id, coupon_id, name, percent_off, amount_off, currency, duration, duration_in_periods, code,
       max_redemptions, redeem_by_date, redeem_by, plan_ids, metric_ids, line_types, status, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
    [
      accountId,
      coupon.couponId,
      coupon.name,
      coupon.percentOff?.toFixed(),
      coupon.amountOff?.toFixed(),
      coupon.currency,
      coupon.duration,
      coupon.durationInPeriods,
      coupon.code,
      coupon.maxRedemptions,
      ...redeemByToRow(coupon),
      appliesTo?.planIds,
      appliesTo?.metricIds,
      appliesTo?.lineTypes,
      coupon.status,
      isoFromInstant(coupon.createdAt),
    ],
  );
}

/** Stores what may change of a coupon: name, how often and until when it may be redeemed, status. */
export async function updateCoupon(tx: Transaction, accountId: string, coupon: Coupon): Promise<void> {
  await tx.query(
    `UPDATE coupons SET name = $3, max_redemptions = $4, redeem_by_date = $5, redeem_by = $6, status = $7
     WHERE account_id = $1 AND coupon_id = $2`,
    [accountId, coupon.couponId, coupon.name, coupon.maxRedemptions, ...redeemByToRow(coupon), coupon.status],
  );
}

/** Counts a redemption of a coupon that is locked. */
export async function updateCouponRedeemed(tx: Transaction, accountId: string, couponId: string): Promise<void> {
  await tx.query('UPDATE coupons SET times_redeemed = times_redeemed + 1 WHERE account_id = $1 AND coupon_id = $2', [
    accountId,
    couponId,
  ]);
}

function redeemByToRow({ redeemBy }: Coupon): [LocalDate | null, string | null] {
  if (redeemBy === null) return [null, null];
  return 'date' in redeemBy ? [redeemBy.date, null] : [null, isoFromInstant(redeemBy.instant)];
}

/** What a coupon takes off. */
export function offFromRow({ percent_off, amount_off, currency }: CouponTermsRow): Off {
  if (percent_off !== null) return { percentOff: decimal(percent_off), amountOff: null, currency: null };
  if (amount_off === null || currency === null) throw new Error('a coupon takes nothing off');
  return { percentOff: null, amountOff: decimal(amount_off), currency };
}

/** Of which lines; null: of all. */
export function appliesToFromRow({ plan_ids, metric_ids, line_types }: CouponTermsRow): AppliesTo | null {
  if (plan_ids === null && metric_ids === null && line_types === null) return null;
  return { planIds: plan_ids, metricIds: metric_ids, lineTypes: line_types };
}

function couponFromRow(row: CouponRow): Coupon {
  const { redeem_by_date: date, redeem_by: instant } = row;
  return {
    couponId: row.coupon_id,
    name: row.name,
    ...offFromRow(row),
    duration: row.duration,
    durationInPeriods: row.duration_in_periods,
    code: row.code,
    maxRedemptions: row.max_redemptions,
    redeemBy: date !== null ? { date } : instant !== null ? { instant } : null,
    appliesTo: appliesToFromRow(row),
    timesRedeemed: row.times_redeemed,
    status: row.status,
    createdAt: row.created_at,
  };
}
