import type { RecurringSum } from '../../billing/overview/monthly-revenue.ts';
import type { Receivables } from '../../billing/overview/receivables.ts';
import { type Decimal, decimal } from '../../core/decimal.ts';
import { type Instant, isoFromInstant, type LocalDate } from '../../core/instants.ts';
import { firstRow, type Transaction } from './postgres.ts';

/** An account at a glance (spec/overview). Each statement reads all that it sums, and no more than once. */

/** Days, `end` exclusive. */
export type DayRange = { start: LocalDate; end: LocalDate };

/** What active subscriptions beyond their trials cost a period, by currency and billing period: fees, and add-ons that are charged every period. */
export async function sumRecurring(
  tx: Transaction,
  accountId: string,
): Promise<(RecurringSum & { currency: string })[]> {
  type Row = { currency: string; billing_period: RecurringSum['billingPeriod']; amount: string };
  const { rows } = await tx.query<Row>(
    `SELECT coalesce(v.currency, p.currency) AS currency, p.billing_period, sum(v.recurring_fee + coalesce(a.amount, 0)) AS amount
     FROM subscriptions s
       JOIN plans p USING (account_id, plan_id)
       JOIN plan_versions v USING (account_id, plan_id, version)
       LEFT JOIN (
         SELECT h.subscription_id, sum(h.quantity * a.price) AS amount
         FROM addon_subscriptions h JOIN addons a USING (account_id, addon_id)
         WHERE h.account_id = $1 AND h.status = 'active' AND a.kind <> 'one_time'
         GROUP BY h.subscription_id
       ) a USING (subscription_id)
     WHERE s.account_id = $1 AND s.status = 'active' AND NOT EXISTS (SELECT FROM periods d
       WHERE d.account_id = s.account_id AND d.subscription_id = s.subscription_id AND d.closed_at IS NULL AND d.is_trial)
     GROUP BY coalesce(v.currency, p.currency), p.billing_period`,
    [accountId],
  );
  return rows.map((row) => ({
    currency: row.currency,
    billingPeriod: row.billing_period,
    amount: decimal(row.amount),
  }));
}

/** Subtotals of invoices that are not void, by currency and issue date; days without are left out. */
export async function sumInvoiced(
  tx: Transaction,
  accountId: string,
  { start, end }: DayRange,
): Promise<{ currency: string; date: LocalDate; amount: Decimal }[]> {
  const { rows } = await tx.query<{ currency: string; date: LocalDate; amount: string }>(
    `SELECT currency, issue_date AS date, sum(subtotal) AS amount FROM invoices
     WHERE account_id = $1 AND issue_date >= $2 AND issue_date < $3 AND status <> 'void'
     GROUP BY currency, issue_date`,
    [accountId, start, end],
  );
  return rows.map((row) => ({ ...row, amount: decimal(row.amount) }));
}

/** What is due of open invoices, by currency and by days past due, as of each customer's today. */
export async function sumReceivables(
  tx: Transaction,
  accountId: string,
  now: Instant,
): Promise<(Receivables & { currency: string })[]> {
  type Row = Record<'currency' | 'not_due' | 'to_30' | 'to_60' | 'to_90' | 'over_90' | 'total' | 'count', string>;
  const due = (condition: string) => `coalesce(sum(amount_due) FILTER (WHERE ${condition}), 0)`;
  const { rows } = await tx.query<Row>(
    `SELECT currency, ${due('late <= 0')} AS not_due, ${due('late BETWEEN 1 AND 30')} AS to_30,
       ${due('late BETWEEN 31 AND 60')} AS to_60, ${due('late BETWEEN 61 AND 90')} AS to_90,
       ${due('late > 90')} AS over_90, sum(amount_due) AS total, count(*) AS count
     FROM (
       SELECT i.currency, i.amount_due,
         (coalesce(t.frozen_time, $2::timestamptz) AT TIME ZONE c.timezone)::date - i.due_date AS late
       FROM invoices i JOIN customers c USING (account_id, customer_id)
         LEFT JOIN test_clocks t ON t.account_id = c.account_id AND t.test_clock_id = c.test_clock_id
       WHERE i.account_id = $1 AND i.status = 'open'
     ) owed GROUP BY currency`,
    [accountId, isoFromInstant(now)],
  );
  return rows.map((row) => ({
    currency: row.currency,
    notDue: decimal(row.not_due),
    days1To30: decimal(row.to_30),
    days31To60: decimal(row.to_60),
    days61To90: decimal(row.to_90),
    daysOver90: decimal(row.over_90),
    total: decimal(row.total),
    count: Number(row.count),
  }));
}

/** How many there are: customers who were not deleted, live subscriptions by status, payments in days of UTC. */
export type AccountCounts = {
  customers: number;
  subscriptions: { pending: number; active: number; paused: number };
  payments: { succeeded: number; failed: number };
};

export async function countRecords(
  tx: Transaction,
  accountId: string,
  { start, end }: DayRange,
): Promise<AccountCounts> {
  const subscriptions = (status: string) =>
    `(SELECT count(*) FROM subscriptions WHERE account_id = $1 AND status = '${status}')`;
  const within = (column: string) => `${column} >= $2::date AND ${column} < $3::date`;
  const { rows } = await tx.query<Record<'customers' | 'pending' | 'active' | 'paused' | 'paid' | 'failed', string>>(
    `SELECT (SELECT count(*) FROM customers WHERE account_id = $1 AND deleted_at IS NULL) AS customers,
       ${subscriptions('pending')} AS pending, ${subscriptions('active')} AS active, ${subscriptions('paused')} AS paused,
       (SELECT count(*) FROM payments WHERE account_id = $1 AND ${within('paid_at')}) AS paid,
       (SELECT count(*) FROM payment_attempts
        WHERE account_id = $1 AND status = 'failed' AND ${within('settled_at')}) AS failed`,
    [accountId, start, end],
  );
  const row = firstRow({ rows });
  if (!row) throw new Error('a row without a table is missing');
  return {
    customers: Number(row.customers),
    subscriptions: { pending: Number(row.pending), active: Number(row.active), paused: Number(row.paused) },
    payments: { succeeded: Number(row.paid), failed: Number(row.failed) },
  };
}

/** When the current period of a subscription closes, by a planned cancel or at its end. */
export type NextClosing = { subscriptionId: string; customerId: string; planName: string; at: Instant };

/** The active subscriptions whose periods close first, soonest first. */
export async function listNextClosings(tx: Transaction, accountId: string, most: number): Promise<NextClosing[]> {
  // What closes first is among those whose periods end first and those that are canceled first: each is read from an index.
  const { rows } = await tx.query<{ subscription_id: string; customer_id: string; plan_name: string; at: Instant }>(
    `SELECT s.subscription_id, s.customer_id, v.name AS plan_name, least(d.ends_at, s.cancel_at) AS at
     FROM (
       (SELECT o.subscription_id FROM periods o JOIN subscriptions a USING (account_id, subscription_id)
        WHERE o.account_id = $1 AND o.closed_at IS NULL AND a.status = 'active' ORDER BY o.ends_at LIMIT $2)
       UNION
       (SELECT subscription_id FROM subscriptions
        WHERE account_id = $1 AND status = 'active' AND cancel_at IS NOT NULL ORDER BY cancel_at LIMIT $2)
     ) soon
       JOIN subscriptions s ON s.account_id = $1 AND s.subscription_id = soon.subscription_id
       JOIN periods d ON d.account_id = $1 AND d.subscription_id = soon.subscription_id AND d.closed_at IS NULL
       JOIN plan_versions v ON v.account_id = $1 AND v.plan_id = s.plan_id AND v.version = s.version
     ORDER BY at, s.seq LIMIT $2`,
    [accountId, most],
  );
  return rows.map((row) => ({
    subscriptionId: row.subscription_id,
    customerId: row.customer_id,
    planName: row.plan_name,
    at: row.at,
  }));
}
