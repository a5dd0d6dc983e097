import { nextBoundary, type SubscriptionSchedule } from '../../../billing/periods/schedule.ts';
import type { SubscriptionStatus } from '../../../billing/subscriptions/states.ts';
import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import { firstRow, type Pool, type Transaction } from '../postgres.ts';

type ScheduleRow = {
  account_id: string;
  subscription_id: string;
  status: SubscriptionStatus;
  customer_id: string;
  plan_id: string;
  name: string;
  frozen_time: Instant | null;
  pending_index: number | null;
  invoice_due_at: Instant | null;
  period_index: number | null;
  starts_at: Instant | null;
  ends_at: Instant | null;
  billing_ends_at: Instant | null;
  trial_notice_at: Instant | null;
  cancel_at: Instant | null;
  switch_at: Instant | null;
  resumes_at: Instant | null;
  bills_at: Instant | null;
};

const SCHEDULES = `SELECT s.account_id, s.subscription_id, s.status, s.customer_id, s.plan_id, t.frozen_time,
    coalesce(nullif(c.customer_name, ''), c.customer_id) || ': ' || v.name AS name,
    d.period_index, d.starts_at, d.ends_at, coalesce((d.billing ->> 'ends_at')::timestamptz, d.ends_at) AS billing_ends_at, d.trial_notice_at,
    w.pending_index, w.invoice_due_at, s.cancel_at, s.switch_at, s.resumes_at, s.bills_at
  FROM subscriptions s
    JOIN plan_versions v USING (account_id, plan_id, version)
    JOIN customers c USING (account_id, customer_id)
    LEFT JOIN test_clocks t USING (account_id, test_clock_id)
    LEFT JOIN periods d ON d.account_id = s.account_id AND d.subscription_id = s.subscription_id AND d.closed_at IS NULL
    LEFT JOIN LATERAL (
      SELECT p.period_index AS pending_index, p.invoice_due_at FROM periods p
      WHERE p.account_id = s.account_id AND p.subscription_id = s.subscription_id AND p.waits AND p.invoice_due_at IS NOT NULL
      ORDER BY p.period_index LIMIT 1
    ) w ON true`;

/** The subscription's schedule, or undefined where this account has none of that id. */
export async function findSchedule(
  tx: Transaction,
  accountId: string,
  subscriptionId: string,
): Promise<SubscriptionSchedule | undefined> {
  const answer = await tx.query<ScheduleRow>(`${SCHEDULES} WHERE s.account_id = $1 AND s.subscription_id = $2`, [
    accountId,
    subscriptionId,
  ]);
  const row = firstRow(answer);
  return row && scheduleFromRow(row);
}

/** The schedules of these subscriptions, by subscription. */
export async function findSchedules(
  tx: Transaction,
  accountId: string,
  subscriptionIds: readonly string[],
): Promise<Map<string, SubscriptionSchedule>> {
  const { rows } = await tx.query<ScheduleRow>(`${SCHEDULES} WHERE s.account_id = $1 AND s.subscription_id = ANY($2)`, [
    accountId,
    subscriptionIds,
  ]);
  return schedulesBySubscription(rows);
}

/**
 * The schedules of this subscription, and of all others of its customer for which something may be due by `now` (that of their test
 * clock where they live on one), by subscription.
 */
export async function listDueSchedules(
  tx: Transaction,
  accountId: string,
  subscriptionId: string,
  now: Instant,
): Promise<Map<string, SubscriptionSchedule>> {
  const { rows } = await tx.query<ScheduleRow>(
    `${SCHEDULES}
     WHERE s.account_id = $1
       AND s.customer_id = (SELECT customer_id FROM subscriptions WHERE account_id = $1 AND subscription_id = $2)
       AND (s.subscription_id = $2 OR coalesce(t.frozen_time, $3) >=
         least(d.ends_at, d.trial_notice_at, w.invoice_due_at, s.cancel_at, s.switch_at, s.resumes_at, s.bills_at,
           CASE WHEN s.status = 'pending' THEN d.starts_at END))`,
    [accountId, subscriptionId, isoFromInstant(now)],
  );
  return schedulesBySubscription(rows);
}

/** The schedules of subscriptions of these customers for which something may be due by an instant, by subscription. */
export async function listSchedulesDue(
  tx: Transaction,
  accountId: string,
  customerIds: readonly string[],
  at: Instant,
): Promise<Map<string, SubscriptionSchedule>> {
  const { rows } = await tx.query<ScheduleRow>(
    `${SCHEDULES}
     WHERE s.account_id = $1 AND s.customer_id = ANY($2) AND (least(w.invoice_due_at, s.bills_at) <= $3
       OR s.status IN ('pending', 'active', 'paused') AND least(d.ends_at, s.cancel_at, s.switch_at, s.resumes_at,
         CASE WHEN s.status = 'pending' THEN d.starts_at END) <= $3)`,
    [accountId, customerIds, isoFromInstant(at)],
  );
  return schedulesBySubscription(rows);
}

/** The schedules of the subscriptions of the same customers as these, but for these, by subscription. */
export async function listSchedulesBeside(
  tx: Transaction,
  accountId: string,
  subscriptionIds: readonly string[],
): Promise<Map<string, SubscriptionSchedule>> {
  const { rows } = await tx.query<ScheduleRow>(
    `${SCHEDULES}
     WHERE s.account_id = $1 AND s.subscription_id <> ALL($2) AND s.customer_id IN
       (SELECT o.customer_id FROM subscriptions o WHERE o.account_id = $1 AND o.subscription_id = ANY($2))`,
    [accountId, subscriptionIds],
  );
  return schedulesBySubscription(rows);
}

/** The schedules of the subscriptions that live on a test clock, or have ended on it, by subscription. */
export async function listSchedulesOnClock(
  tx: Transaction,
  { accountId, testClockId }: { accountId: string; testClockId: string },
): Promise<Map<string, SubscriptionSchedule>> {
  const { rows } = await tx.query<ScheduleRow>(
    `${SCHEDULES}
     WHERE s.account_id = $1 AND s.customer_id IN
       (SELECT o.customer_id FROM customers o WHERE o.account_id = $1 AND o.test_clock_id = $2)`,
    [accountId, testClockId],
  );
  return schedulesBySubscription(rows);
}

function schedulesBySubscription(rows: readonly ScheduleRow[]): Map<string, SubscriptionSchedule> {
  return new Map(rows.map((row) => [row.subscription_id, scheduleFromRow(row)]));
}

/** A live subscription with all that its workflow has to know. */
export type LiveSubscription = { accountId: string; subscriptionId: string; schedule: SubscriptionSchedule };

/**
 * Subscriptions of every account that are live, or have ended with something left to invoice, in the order of their keys,
 * `limit` at a time; `after` is the last one seen. For the reconcile sweep, which walks through all of them.
 */
export async function listLiveSubscriptionsAfter(
  pool: Pool,
  after: { accountId: string; subscriptionId: string },
  limit: number,
): Promise<LiveSubscription[]> {
  const answer = await pool.query<ScheduleRow>(
    `${SCHEDULES}
     WHERE (s.account_id, s.subscription_id) IN (
       SELECT * FROM (
         (SELECT account_id, subscription_id FROM subscriptions
          WHERE (account_id, subscription_id) > ($1, $2)
            AND (status IN ('pending', 'active', 'paused') OR bills_at IS NOT NULL)
          ORDER BY account_id, subscription_id LIMIT $3)
         UNION
         (SELECT account_id, subscription_id FROM periods
          WHERE (account_id, subscription_id) > ($1, $2) AND waits
          ORDER BY account_id, subscription_id LIMIT $3)
       ) wanted ORDER BY account_id, subscription_id LIMIT $3)
     ORDER BY s.account_id, s.subscription_id`,
    [after.accountId, after.subscriptionId, limit],
  );
  return answer.rows.map((row) => ({
    accountId: row.account_id,
    subscriptionId: row.subscription_id,
    schedule: scheduleFromRow(row),
  }));
}

/** Those of these subscriptions that the records do not have. */
export async function listUnknownSubscriptions(
  pool: Pool,
  refs: readonly { accountId: string; subscriptionId: string }[],
): Promise<{ accountId: string; subscriptionId: string }[]> {
  if (refs.length === 0) return [];
  const answer = await pool.query<{ account_id: string; subscription_id: string }>(
    `SELECT account_id, subscription_id FROM unnest($1::text[], $2::text[]) AS asked (account_id, subscription_id)
     WHERE NOT EXISTS (SELECT FROM subscriptions s
       WHERE s.account_id = asked.account_id AND s.subscription_id = asked.subscription_id)`,
    [refs.map((one) => one.accountId), refs.map((one) => one.subscriptionId)],
  );
  return answer.rows.map((row) => ({ accountId: row.account_id, subscriptionId: row.subscription_id }));
}

function scheduleFromRow(row: ScheduleRow): SubscriptionSchedule {
  const { period_index: index, starts_at: startsAt, ends_at: endsAt, billing_ends_at } = row;
  const openPeriod =
    index === null || startsAt === null || endsAt === null
      ? null
      : {
          index,
          startsAt,
          endsAt,
          billing: { endsAt: billing_ends_at ?? endsAt },
          trial: { noticeAt: row.trial_notice_at },
        };
  const pendingInvoice =
    row.pending_index === null || row.invoice_due_at === null
      ? null
      : { periodIndex: row.pending_index, dueAt: row.invoice_due_at };
  return {
    status: row.status,
    customerId: row.customer_id,
    planId: row.plan_id,
    name: row.name,
    periodEnd: openPeriod?.endsAt ?? null,
    clockTime: row.frozen_time,
    next: nextBoundary({
      status: row.status,
      openPeriod,
      pendingInvoice,
      plannedCancel: row.cancel_at === null ? null : { at: row.cancel_at },
      plannedSwitch: row.switch_at === null ? null : { at: row.switch_at },
      resumesAt: row.resumes_at,
      billsAt: row.bills_at,
    }),
  };
}
