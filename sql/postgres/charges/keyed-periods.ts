import type { KeyedPeriod } from '../../../billing/settle/keyed-periods.ts';
import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import type { Transaction } from '../postgres.ts';

/** Subscriptions, and the time that the periods looked for overlap or touch; both ends are inclusive. */
export type PeriodsSought = { subscriptionIds: readonly string[]; from: Instant; to: Instant };

type KeyedPeriodRow = {
  subscription_id: string;
  starts_at: Instant;
  ends_at: Instant;
  billing_starts_at: Instant;
  billing_ends_at: Instant;
  first_holder_id: string;
  is_in_advance: boolean;
  minimums: string[] | null;
};

/**
 * The usage periods of subscriptions with what the keys of their charges are made of, in order of time. What switches left lies in a
 * subscription's first usage period and is about its first billing period. A minimum counts once what it limits has been billed.
 */
const KEYED_PERIODS = `SELECT d.subscription_id, d.starts_at, d.ends_at,
    coalesce((d.billing ->> 'starts_at')::timestamptz, d.starts_at) AS billing_starts_at,
    coalesce((d.billing ->> 'ends_at')::timestamptz, d.ends_at) AS billing_ends_at,
    coalesce(f.carried -> 'stretches' -> 0 ->> 'subscription_id', d.subscription_id) AS first_holder_id,
    v.charge_timing = 'in_advance' AS is_in_advance,
    (SELECT array_agg(a.metric_id ORDER BY a.metric_id) FROM limited_amounts a
     WHERE a.account_id = d.account_id AND a.minimum_amount IS NOT NULL AND (
       a.metric_id <> '' AND a.subscription_id = d.subscription_id AND a.starts_at = d.starts_at
       OR a.metric_id = '' AND a.starts_at = coalesce((d.billing ->> 'starts_at')::timestamptz, d.starts_at)
         AND a.subscription_id = coalesce(f.carried -> 'stretches' -> 0 ->> 'subscription_id', d.subscription_id))) AS minimums
  FROM periods d
    JOIN subscriptions s ON s.account_id = d.account_id AND s.subscription_id = d.subscription_id
    JOIN plan_versions v ON v.account_id = s.account_id AND v.plan_id = s.plan_id AND v.version = coalesce(d.version, s.version)
    LEFT JOIN periods f ON f.account_id = d.account_id AND f.subscription_id = d.subscription_id AND f.period_index = 0
      AND coalesce((d.billing ->> 'index')::integer, d.period_index) = 0
  WHERE d.account_id = $1 AND d.subscription_id = ANY($2) AND d.ends_at >= $3 AND d.starts_at <= $4
  ORDER BY d.starts_at, d.period_index`;

/** The usage periods of these subscriptions in a stretch of time, as the keys of charges name them. */
export async function listKeyedPeriods(
  tx: Transaction,
  accountId: string,
  { subscriptionIds, from, to }: PeriodsSought,
): Promise<KeyedPeriod[]> {
  if (subscriptionIds.length === 0) return [];
  const values = [accountId, subscriptionIds, isoFromInstant(from), isoFromInstant(to)];
  const { rows } = await tx.query<KeyedPeriodRow>(KEYED_PERIODS, values);
  return rows.map((row) => ({
    subscriptionId: row.subscription_id,
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    billing: { startsAt: row.billing_starts_at, endsAt: row.billing_ends_at },
    firstHolderId: row.first_holder_id,
    isInAdvance: row.is_in_advance,
    minimums: (row.minimums ?? []).map((metricId) => (metricId === '' ? null : metricId)),
  }));
}

/** Every subscription that has come before these by switches, or after them, with these. */
export async function listLinesOfSuccession(
  tx: Transaction,
  accountId: string,
  subscriptionIds: readonly string[],
): Promise<string[]> {
  const { rows } = await tx.query<{ subscription_id: string }>(
    `WITH RECURSIVE line AS (
       SELECT subscription_id, previous_subscription_id, replaced_by FROM subscriptions
       WHERE account_id = $1 AND subscription_id = ANY($2)
       UNION
       SELECT s.subscription_id, s.previous_subscription_id, s.replaced_by
       FROM line l JOIN subscriptions s ON s.account_id = $1 AND s.subscription_id IN (l.previous_subscription_id, l.replaced_by)
     )
     SELECT subscription_id FROM line`,
    [accountId, subscriptionIds],
  );
  return rows.map((row) => row.subscription_id);
}
