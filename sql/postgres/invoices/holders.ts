import { askPlanned } from '../page-window.ts';
import type { Transaction } from '../postgres.ts';
import { HAS_NEW_ROWS, HELD, type HeldFilter } from './held-combinations.ts';

/** Newest subscriptions first, from below `before` on. */
export type HolderWindow = { before: string | null; limit: number };

/**
 * A subscription that may hold usage, with its place in their order. `alike`: the same for all that hold whatever their customers use by the same
 * prices in the same time; null for one that is like no other.
 */
export type FoundHolder = {
  subscriptionId: string;
  seq: string;
  customerId: string;
  planId: string;
  alike: string | null;
};

type FoundRow = { seq: string; subscription_id: string; customer_id: string; plan_id: string; alike: string | null };

/**
 * Subscriptions that may hold usage which is not billed, or that held what a row may price by now, newest first: those that live on a plan with such
 * a price book, that wait for an invoice by one, or that a switch has left its usage to. Of an active one its plan version, its open period and those that
 * wait for the end of a grace say what it holds, unless a pause, a cancel or a switch comes into them, or it has been billed what a row may price.
 */
export async function listHolders(
  tx: Transaction,
  accountId: string,
  { customerId = null, planId = null }: HeldFilter,
  { before, limit }: HolderWindow,
): Promise<FoundHolder[]> {
  const planIds = await listHoldingPlans(tx, accountId, planId);
  // A live one is found once; of what it holds, or waits for, there is more than one row.
  const newest = (
    of: string,
    kind: 'lives' | 'waits' | 'own',
  ) => `(SELECT ${kind === 'lives' ? '' : 'DISTINCT'} s.seq, s.subscription_id,
      '${kind}' AS kind FROM ${of}
    AND ($2::text IS NULL OR s.customer_id = $2) AND ($4::bigint IS NULL OR s.seq < $4) ORDER BY s.seq DESC LIMIT $5)`;
  const { rows } = await askPlanned<FoundRow>(
    tx,
    `WITH found AS MATERIALIZED (SELECT seq, subscription_id, bool_or(kind = 'waits') AS waits, bool_or(kind = 'own') AS is_own FROM (
       (SELECT live.* FROM unnest($3::text[]) AS p (plan_id) CROSS JOIN LATERAL ${newest(
         `subscriptions s WHERE s.account_id = $1 AND s.plan_id = p.plan_id AND s.status IN ('active', 'paused')`,
         'lives',
       )} live)
       UNION ALL ${newest(
         `periods d JOIN subscriptions s USING (account_id, subscription_id)
         WHERE d.account_id = $1 AND d.waits AND s.plan_id = ANY($3)`,
         'waits',
       )}
       UNION ALL ${newest(
         `periods d JOIN subscriptions s USING (account_id, subscription_id)
         WHERE d.account_id = $1 AND (d.closed_at IS NULL OR d.waits) AND d.carried -> 'usages' <> '[]'
           AND EXISTS (SELECT FROM jsonb_array_elements(d.carried -> 'usages') w WHERE w ->> 'plan_id' = ANY($3))`,
         'own',
       )}
       UNION ALL ${newest(`${HELD} AND b.plan_id = ANY($3) AND ${HAS_NEW_ROWS}`, 'own')}
     ) one GROUP BY seq, subscription_id ORDER BY seq DESC LIMIT $5),
     over AS (SELECT subscription_id, min(o.starts_at) AS starts_at,
         bool_or(o.carried IS NOT NULL OR o.invoice_due_at IS NULL OR o.timezone IS NULL) AS is_own,
         string_agg(concat_ws(' ', o.starts_at, o.ends_at, o.is_trial, o.timezone, o.version), ' ' ORDER BY o.period_index) AS periods
       FROM found JOIN periods o USING (subscription_id) WHERE o.account_id = $1 AND found.waits AND o.waits
       GROUP BY subscription_id),
     paused AS (SELECT subscription_id, max(coalesce(p.resumed_at, 'infinity')) AS until
       FROM found JOIN pauses p USING (subscription_id) WHERE p.account_id = $1 GROUP BY subscription_id)
     SELECT found.seq, s.subscription_id, s.customer_id, s.plan_id,
       CASE WHEN s.status = 'active' AND NOT found.is_own AND over.is_own IS NOT TRUE AND d.carried IS NULL AND d.timezone IS NOT NULL
         AND (s.cancel_at IS NULL OR s.cancel_at > d.ends_at) AND (paused.until IS NULL OR paused.until <= least(d.starts_at, over.starts_at))
       THEN concat_ws(' ', s.plan_id, s.version, d.starts_at, d.ends_at, d.is_trial, d.timezone, over.periods) END AS alike
     FROM found JOIN subscriptions s ON s.account_id = $1 AND s.subscription_id = found.subscription_id
       LEFT JOIN periods d ON d.account_id = $1 AND d.subscription_id = found.subscription_id AND d.closed_at IS NULL
       LEFT JOIN over ON over.subscription_id = found.subscription_id
       LEFT JOIN paused ON paused.subscription_id = found.subscription_id
     ORDER BY found.seq DESC`,
    [accountId, customerId, planIds, before, limit],
  );
  return rows.map(({ seq, subscription_id: subscriptionId, customer_id, plan_id, alike }) => {
    return { subscriptionId, seq, customerId: customer_id, planId: plan_id, alike };
  });
}

/** The plans, or that one, of which a version has a price book that holds what no row prices. */
export async function listHoldingPlans(
  tx: Transaction,
  accountId: string,
  planId: string | null = null,
): Promise<string[]> {
  const { rows } = await tx.query<{ plan_id: string }>(
    `SELECT DISTINCT v.plan_id FROM plan_components c JOIN plan_versions v USING (account_id, version_id)
     WHERE c.account_id = $1 AND c.unmatched = 'hold' AND ($2::text IS NULL OR v.plan_id = $2)`,
    [accountId, planId],
  );
  return rows.map(({ plan_id }) => plan_id);
}
