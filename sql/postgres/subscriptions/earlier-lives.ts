import type { EarlierLife } from '../../../billing/subscriptions/earlier-lives.ts';
import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import type { Transaction } from '../postgres.ts';

/**
 * Lists the customer's subscriptions that were live between two instants and either bill one of these metrics or are to this plan.
 * One that was canceled before it began is not listed.
 */
export async function listEarlierLives(
  tx: Transaction,
  accountId: string,
  { customerId, planId, metricIds }: { customerId: string; planId: string; metricIds: readonly string[] },
  { startsAt, endsAt }: { startsAt: Instant; endsAt: Instant },
): Promise<EarlierLife[]> {
  const { rows } = await tx.query<{
    subscription_id: string;
    previous_subscription_id: string | null;
    plan_id: string;
    starts_at: Instant;
    canceled_at: Instant | null;
    metric_ids: string[];
  }>(
    `SELECT s.subscription_id, s.previous_subscription_id, s.plan_id, d.starts_at, s.canceled_at, billed.metric_ids
     FROM subscriptions s
       JOIN periods d ON d.account_id = s.account_id AND d.subscription_id = s.subscription_id AND d.period_index = 0
       CROSS JOIN LATERAL (
         SELECT coalesce(array_agg(c.metric_id), '{}') AS metric_ids
         FROM plan_versions v JOIN plan_components c ON c.account_id = v.account_id AND c.version_id = v.version_id
         WHERE v.account_id = s.account_id AND v.plan_id = s.plan_id AND v.version = s.version AND c.metric_id = ANY($4)
       ) billed
     WHERE s.account_id = $1 AND s.customer_id = $2 AND d.starts_at < $6 AND d.starts_at < coalesce(s.canceled_at, 'infinity')
       AND (s.canceled_at > $5 OR s.status IN ('active', 'paused')) AND (s.plan_id = $3 OR billed.metric_ids <> '{}')
     ORDER BY s.seq`,
    [accountId, customerId, planId, metricIds, isoFromInstant(startsAt), isoFromInstant(endsAt)],
  );
  return rows.map((row) => ({
    subscriptionId: row.subscription_id,
    previousId: row.previous_subscription_id,
    planId: row.plan_id,
    startsAt: row.starts_at,
    endedAt: row.canceled_at,
    metricIds: row.metric_ids,
  }));
}
