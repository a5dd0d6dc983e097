import { periodsOf } from '../../../billing/discounts/coupons.ts';
import type { ApplicableDiscount, Discount } from '../../../billing/discounts/discounts.ts';
import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import { appliesToFromRow, type CouponTermsRow, offFromRow } from '../catalog/coupons.ts';
import { findPage, type PageOf, type PageWindow } from '../page-window.ts';
import { firstRow, type Transaction } from '../postgres.ts';

type DiscountRow = {
  discount_id: string;
  coupon_id: string;
  customer_id: string;
  subscription_id: string;
  status: Discount['status'];
  periods_used: number;
  created_at: Instant;
  duration: 'once' | 'repeating' | 'forever';
  duration_in_periods: number | null;
};

type ApplicableRow = DiscountRow & CouponTermsRow & { name: string; holders: string[] };

const COLUMNS = `d.discount_id, d.coupon_id, d.customer_id, d.subscription_id, d.status, d.periods_used, d.created_at,
  c.duration, c.duration_in_periods`;
const OF_COUPON = 'JOIN coupons c ON c.account_id = d.account_id AND c.coupon_id = d.coupon_id';

/** How many periods its coupon gives a discount; null: all. */
const PERIODS = `(CASE c.duration WHEN 'once' THEN 1 ELSE c.duration_in_periods END)`;

/** One page of a subscription's discounts, newest first. */
export function listDiscounts(
  tx: Transaction,
  accountId: string,
  subscriptionId: string,
  window: PageWindow,
): Promise<PageOf<Discount>> {
  const equals = { account_id: accountId, subscription_id: subscriptionId };
  const list = { select: COLUMNS, table: ['discounts', 'd'], joins: OF_COUPON, equals } as const;
  return findPage(tx, list, window, discountFromRow);
}

/** The discount of a subscription, locked until the transaction ends; undefined where it has none of that id. */
export async function lockDiscount(
  tx: Transaction,
  accountId: string,
  { subscriptionId, discountId }: { subscriptionId: string; discountId: string },
): Promise<Discount | undefined> {
  const answer = await tx.query<DiscountRow>(
    `SELECT ${COLUMNS} FROM discounts d ${OF_COUPON}
     WHERE d.account_id = $1 AND d.subscription_id = $2 AND d.discount_id = $3 FOR UPDATE OF d`,
    [accountId, subscriptionId, discountId],
  );
  const row = firstRow(answer);
  return row && discountFromRow(row);
}

/** Whether a discount of that coupon is active on the subscription. */
export async function hasActiveDiscount(
  tx: Transaction,
  accountId: string,
  { subscriptionId, couponId }: { subscriptionId: string; couponId: string },
): Promise<boolean> {
  const answer = await tx.query(
    `SELECT FROM discounts WHERE account_id = $1 AND subscription_id = $2 AND coupon_id = $3 AND status = 'active'`,
    [accountId, subscriptionId, couponId],
  );
  return answer.rowCount !== 0;
}

/**
 * Those that may lower invoices of these customers, in order of redemption; `lock`: only those of these subscriptions, locked until the
 * transaction ends, so that nobody waits for discounts that its invoices do not have.
 */
export async function listApplicableDiscounts(
  tx: Transaction,
  accountId: string,
  customerIds: readonly string[],
  { lock = null }: { lock?: readonly string[] | null } = {},
): Promise<(ApplicableDiscount & { customerId: string })[]> {
  const { rows } = await tx.query<ApplicableRow>(
    `SELECT ${COLUMNS}, d.holders, c.name, c.percent_off, c.amount_off, c.currency, c.plan_ids, c.metric_ids, c.line_types
     FROM discounts d ${OF_COUPON}
     WHERE d.account_id = $1 AND d.customer_id = ANY($2) AND d.status = 'active' AND ($3::text[] IS NULL OR d.holders && $3)
     ORDER BY d.seq ${lock ? 'FOR UPDATE OF d' : ''}`,
    [accountId, customerIds, lock],
  );
  return rows.map((row) => {
    const { discountId, customerId, subscriptionId, periodsRemaining } = discountFromRow(row);
    const terms = { name: row.name, holders: row.holders, appliesTo: appliesToFromRow(row) };
    return { discountId, customerId, subscriptionId, periodsRemaining, ...terms, ...offFromRow(row) };
  });
}

/** Stores a new discount. */
export async function insertDiscount(tx: Transaction, accountId: string, discount: Discount): Promise<void> {
  await tx.query(
    `INSERT INTO discounts (account_id, discount_id, coupon_id, customer_id, subscription_id, holders, status, created_at)
     VALUES ($1, $2, $3, $4, $5, ARRAY[$5], $6, $7)`,
    [
      accountId,
      discount.discountId,
      discount.couponId,
      discount.customerId,
      discount.subscriptionId,
      discount.status,
      isoFromInstant(discount.createdAt),
    ],
  );
}

/** A removed discount takes nothing off any more. */
export async function updateDiscountRemoved(tx: Transaction, accountId: string, discountId: string): Promise<void> {
  await tx.query(`UPDATE discounts SET status = 'removed' WHERE account_id = $1 AND discount_id = $2`, [
    accountId,
    discountId,
  ]);
}

/** Counts periods of discounts, each as often as it is named; after the last one it is ended. */
export async function updateDiscountsUsed(
  tx: Transaction,
  accountId: string,
  discountIds: readonly string[],
): Promise<void> {
  if (discountIds.length === 0) return;
  await tx.query(
    `UPDATE discounts d SET periods_used = d.periods_used + used.n,
       status = CASE WHEN d.status = 'active' AND d.periods_used + used.n >= ${PERIODS} THEN 'ended' ELSE d.status END
     FROM (SELECT discount_id, count(*)::int AS n FROM unnest($2::text[]) AS discount_id GROUP BY 1) used, coupons c
     WHERE d.account_id = $1 AND d.discount_id = used.discount_id AND c.account_id = d.account_id AND c.coupon_id = d.coupon_id`,
    [accountId, discountIds],
  );
}

/**
 * Takes periods off the count of discounts, each as often as it is named. One that was ended by its periods is active again, unless its subscription has
 * redeemed the same coupon anew.
 */
export async function updateDiscountsUncounted(
  tx: Transaction,
  accountId: string,
  discountIds: readonly string[],
): Promise<void> {
  if (discountIds.length === 0) return;
  await tx.query(
    `UPDATE discounts d SET periods_used = greatest(0, d.periods_used - counted.n),
       status = CASE WHEN d.status = 'ended' AND NOT EXISTS (SELECT FROM discounts o WHERE o.account_id = d.account_id
         AND o.subscription_id = d.subscription_id AND o.coupon_id = d.coupon_id AND o.status = 'active') THEN 'active' ELSE d.status END
     FROM (SELECT discount_id, count(*)::int AS n FROM unnest($2::text[]) AS discount_id GROUP BY 1) counted
     WHERE d.account_id = $1 AND d.discount_id = counted.discount_id`,
    [accountId, discountIds],
  );
}

/** Locks the subscriptions whose discounts have lowered an invoice, by id or number: what moves discounts has them locked, too. */
export async function lockDiscountedSubscriptions(
  tx: Transaction,
  accountId: string,
  idOrNumber: string,
): Promise<void> {
  await tx.query(
    `SELECT FROM subscriptions WHERE account_id = $1 AND subscription_id IN (
       SELECT d.subscription_id FROM invoices i
         JOIN invoice_lines l ON l.account_id = $1 AND l.invoice_id = i.invoice_id AND l.type = 'discount'
         JOIN discounts d ON d.account_id = $1 AND d.discount_id = l.basis ->> 'discountId'
       WHERE i.account_id = $1 AND (i.invoice_id = $2 OR i.invoice_number = $2))
     ORDER BY subscription_id FOR UPDATE`,
    [accountId, idOrNumber],
  );
}

/** A switch takes discounts along, ended ones too: a void may give them a period back (spec/discounts#redemption). */
export async function moveDiscounts(
  tx: Transaction,
  accountId: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await tx.query(
    `UPDATE discounts SET subscription_id = $3, holders = array_append(holders, $3) WHERE account_id = $1 AND subscription_id = $2`,
    [accountId, from, to],
  );
}

function discountFromRow(row: DiscountRow): Discount {
  const periods = periodsOf({ duration: row.duration, durationInPeriods: row.duration_in_periods });
  return {
    discountId: row.discount_id,
    couponId: row.coupon_id,
    subscriptionId: row.subscription_id,
    customerId: row.customer_id,
    status: row.status,
    periodsUsed: row.periods_used,
    periodsRemaining: periods === null ? null : Math.max(0, periods - row.periods_used),
    createdAt: row.created_at,
  };
}
