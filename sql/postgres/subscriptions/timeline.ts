import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import { type PageOf, type PageWindow, readPage } from '../page-window.ts';
import type { Transaction } from '../postgres.ts';

/** A step of a subscription's life (spec/subscriptions#timeline); `at` is in the customer's time. */
export type TimelineStep = {
  at: Instant;
  kind: string;
  status: 'done' | 'planned';
  detail: string;
  invoiceId: string | null;
  /** When the pending invoice of a period is made; null in every other step. */
  dueAt: Instant | null;
};

/** A step that the records do not keep as one. `rank` orders it among others of its instant. */
export type AddedStep = Pick<TimelineStep, 'at' | 'kind' | 'status' | 'detail'> & { rank: number };

type TimelineRow = Omit<TimelineStep, 'invoiceId' | 'dueAt'> & { invoice_id: string | null; due_at: Instant | null };

/** What a switch brought along happened to the subscription before it. */
const SINCE = "CASE WHEN s.previous_subscription_id IS NULL THEN '-infinity' ELSE s.created_at END";

/** The last day, exclusive, of the billing period of a period `p`; and whether another usage month of it comes before `p`. */
const BILLING_END = "coalesce((p.billing ->> 'end_date')::date, p.end_date)";
const IS_WITHIN_BILLING = "p.start_date > (p.billing ->> 'start_date')::date";

/** How many trials the subscription has had, one or none: periods are counted from its end on. */
const TRIALS = '(SELECT count(*) FROM periods t WHERE t.account_id = $1 AND t.subscription_id = $2 AND t.is_trial)';
const NUMBER = `p.period_index + 1 - ${TRIALS}`;
/** When the end of a trial is, or was, told. */
const NOTICE_AT =
  'coalesce(p.trial_notice_at, greatest(p.starts_at, (p.end_date - 3)::timestamp AT TIME ZONE p.timezone))';

/** Read from what the records keep anyway; `rank` orders what happened at one instant. */
const STEPS = `(
  SELECT created_at AS at, 0 AS rank, 'created' AS kind, 'done' AS status,
      coalesce('Created in the place of ' || previous_subscription_id, 'Created') AS detail, NULL AS invoice_id,
      NULL::timestamptz AS due_at FROM s
  UNION ALL SELECT CASE WHEN s.previous_subscription_id IS NULL OR p.period_index > 0 THEN p.starts_at
        ELSE greatest(p.starts_at, s.created_at) END, CASE WHEN p.period_index = 0 THEN 3 ELSE 2 END,
      CASE WHEN p.period_index = 0 THEN 'activated'
        WHEN p.period_index = ${TRIALS} THEN 'trial_ended' WHEN ${IS_WITHIN_BILLING} THEN 'usage_month_begun' ELSE 'renewed' END,
      CASE WHEN s.status = 'pending' THEN 'planned' ELSE 'done' END,
      CASE WHEN p.is_trial THEN 'Trial' WHEN p.billing IS NULL THEN 'Period ' || ${NUMBER} ELSE 'Usage month ' || ${NUMBER} END || ' from ' || p.start_date || ' to ' || p.end_date, NULL, NULL
    FROM periods p, s WHERE p.account_id = $1 AND p.subscription_id = $2
      AND (s.status <> 'canceled' OR p.starts_at < s.canceled_at)
  UNION ALL SELECT i.created_at, 1, 'invoiced', 'done', 'Invoice ' || i.invoice_number || ' (' || i.kind || ')', i.invoice_id, NULL
    FROM invoices i WHERE i.account_id = $1 AND i.subscription_id = $2
  UNION ALL SELECT i.created_at, 1, 'invoiced', 'done', 'Invoice ' || i.invoice_number || ' of ' || i.customer_id || ' (' || x.kind || ')',
      i.invoice_id, NULL
    FROM invoice_sections x JOIN invoices i USING (account_id, invoice_id) WHERE x.account_id = $1 AND x.subscription_id = $2
  UNION ALL SELECT p.invoice_due_at, 1, 'invoiced', 'planned',
      'Invoice of ' || CASE WHEN p.is_trial THEN 'the trial' ELSE 'period ' || ${NUMBER} END || ', pending until then', NULL, p.invoice_due_at
    FROM periods p WHERE p.account_id = $1 AND p.subscription_id = $2 AND p.waits AND p.invoice_due_at IS NOT NULL
  UNION ALL SELECT ${NOTICE_AT}, 4, 'trial_will_end', CASE WHEN p.trial_notice_at IS NULL THEN 'done' ELSE 'planned' END,
      'The trial ends on ' || p.end_date, NULL, NULL
    FROM periods p, s WHERE p.account_id = $1 AND p.subscription_id = $2 AND p.is_trial
      AND (p.trial_notice_at IS NULL OR p.closed_at IS NULL) AND NOT coalesce(least(s.cancel_at, s.canceled_at) < ${NOTICE_AT}, false)
  UNION ALL SELECT paused_at, 4, 'paused', 'done', coalesce('Paused: ' || reason, 'Paused'), NULL, NULL
    FROM pauses WHERE account_id = $1 AND subscription_id = $2 AND paused_at >= (SELECT ${SINCE} FROM s)
  UNION ALL SELECT resumed_at, 5, 'resumed', 'done', 'Resumed', NULL, NULL
    FROM pauses WHERE account_id = $1 AND subscription_id = $2 AND resumed_at >= (SELECT ${SINCE} FROM s)
  UNION ALL SELECT p.changed_at, 4, 'prepaid_units_changed', 'done',
      'Prepaid units of ' || m.metric_name || ' changed to ' || trim_scale(p.units), NULL, NULL
    FROM subscription_prepaid_units p JOIN metrics m USING (account_id, metric_id)
    WHERE p.account_id = $1 AND p.subscription_id = $2 AND p.changed_at IS NOT NULL
  UNION ALL SELECT canceled_at, 6, CASE WHEN cancel_reason IN ('expired', 'switched') THEN cancel_reason ELSE 'canceled' END,
      'done', coalesce('Switched to ' || replaced_by, 'Ended: ' || cancel_reason), NULL, NULL FROM s WHERE canceled_at IS NOT NULL
  UNION ALL SELECT cancel_at, 6, 'canceled', 'planned', 'Is canceled as planned', NULL, NULL
    FROM s WHERE cancel_at IS NOT NULL AND status IN ('pending', 'active', 'paused')
  UNION ALL SELECT switch_at, 6, 'switched', 'planned', 'Is switched to ' || (pending_change ->> 'new_plan_id'), NULL, NULL
    FROM s WHERE switch_at IS NOT NULL
  UNION ALL SELECT resumes_at, 5, 'resumed', 'planned', 'Resumes as planned', NULL, NULL
    FROM s WHERE resumes_at IS NOT NULL AND status = 'paused'
  UNION ALL SELECT bills_at, 7, 'invoiced', 'planned', 'Invoice of what the cancel left', NULL, NULL FROM s WHERE bills_at IS NOT NULL
  UNION ALL SELECT p.ends_at, 2, 'usage_month_begun', 'planned', 'Usage month ' || ${NUMBER} + 1 || ' begins', NULL, NULL
    FROM periods p, s WHERE p.account_id = $1 AND p.subscription_id = $2 AND p.closed_at IS NULL AND p.end_date < ${BILLING_END}
      AND (s.cancel_at IS NULL OR s.cancel_at > p.ends_at)
  UNION ALL SELECT coalesce((p.billing ->> 'ends_at')::timestamptz, p.ends_at), 2,
      CASE WHEN NOT s.auto_renew THEN 'expired' WHEN p.is_trial THEN 'trial_ended' ELSE 'renewed' END, 'planned',
      CASE WHEN NOT s.auto_renew THEN 'Ends with its period' WHEN p.billing IS NULL THEN 'Period ' || ${NUMBER} + 1 || ' begins'
        ELSE 'The next billing period begins' END, NULL, NULL
    FROM periods p, s WHERE p.account_id = $1 AND p.subscription_id = $2 AND p.closed_at IS NULL
      AND NOT coalesce(least(s.cancel_at, s.switch_at) <= coalesce((p.billing ->> 'ends_at')::timestamptz, p.ends_at), false)
  UNION ALL SELECT at, rank, kind, status, detail, NULL, NULL
    FROM jsonb_to_recordset($3) AS added (at timestamptz, rank integer, kind text, status text, detail text)
)`;

/** One page of a subscription's timeline, newest first, with what `added` adds to what the records say. */
export function listTimeline(
  tx: Transaction,
  accountId: string,
  subscriptionId: string,
  added: readonly AddedStep[],
  window: PageWindow,
): Promise<PageOf<TimelineStep>> {
  const subscription = '(SELECT * FROM subscriptions WHERE account_id = $1 AND subscription_id = $2)';
  const from = `FROM (WITH s AS ${subscription} SELECT * FROM ${STEPS} steps) timeline`;
  const orders = ['at', 'rank', 'detail', 'kind'];
  const page = (behind: string, range: string) =>
    `SELECT at, kind, status, detail, invoice_id, due_at, ${orders.map((order, i) => `${order} AS order_${i}`).join(', ')} ${from}
     WHERE ${behind} ORDER BY ${orders.map((order) => `${order} DESC`).join(', ')} ${range}`;
  const values = [
    accountId,
    subscriptionId,
    JSON.stringify(added.map((step) => ({ ...step, at: isoFromInstant(step.at) }))),
  ];
  return readPage(tx, { page, from, values, orders, isAscending: false }, window, stepFromRow);
}

function stepFromRow({ at, kind, status, detail, invoice_id: invoiceId, due_at: dueAt }: TimelineRow): TimelineStep {
  return { at, kind, status, detail, invoiceId, dueAt };
}
