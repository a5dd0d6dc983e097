import { type Decimal, decimal } from '../billing/decimal.ts';
import type { Transaction } from './postgres.ts';

/** Units prepaid for a metric, each period (contract 6). */
export type PrepaidUnits = { metricId: string; units: Decimal };

/** The units that subscriptions prepay by their own choice, in the place of their plan components'. */
export async function listOwnPrepaidUnits(
  tx: Transaction,
  accountId: string,
  subscriptionIds: string[],
): Promise<(PrepaidUnits & { subscriptionId: string })[]> {
  const answer = await tx.query<{ subscription_id: string; metric_id: string; units: string }>(
    `SELECT subscription_id, metric_id, units FROM subscription_prepaid_units
     WHERE account_id = $1 AND subscription_id = ANY($2)`,
    [accountId, subscriptionIds],
  );
  return answer.rows.map((row) => ({
    subscriptionId: row.subscription_id,
    metricId: row.metric_id,
    units: decimal(row.units),
  }));
}

/** Stores the units a subscription prepays by its own choice; an earlier choice for the metric is replaced. */
export async function upsertPrepaidUnits(
  tx: Transaction,
  accountId: string,
  subscriptionId: string,
  { metricId, units }: PrepaidUnits,
): Promise<void> {
  await tx.query(
    `INSERT INTO subscription_prepaid_units (account_id, subscription_id, metric_id, units) VALUES ($1, $2, $3, $4)
     ON CONFLICT (account_id, subscription_id, metric_id) DO UPDATE SET units = excluded.units`,
    [accountId, subscriptionId, metricId, units.toFixed()],
  );
}

/**
 * What each of these subscriptions prepays: its own units, else its plan component's, in component order. Metrics without
 * prepaid units are left out, but for those a subscription has chosen itself.
 */
export async function listPrepaidUnits(
  tx: Transaction,
  accountId: string,
  subscriptionIds: string[],
): Promise<(PrepaidUnits & { subscriptionId: string })[]> {
  const answer = await tx.query<{ subscription_id: string; metric_id: string; units: string }>(
    `SELECT s.subscription_id, c.metric_id, coalesce(o.units, c.prepaid_units) AS units
     FROM subscriptions s
       JOIN plan_versions v USING (account_id, plan_id, version)
       JOIN plan_components c USING (account_id, version_id)
       LEFT JOIN subscription_prepaid_units o
         ON o.account_id = s.account_id AND o.subscription_id = s.subscription_id AND o.metric_id = c.metric_id
     WHERE s.account_id = $1 AND s.subscription_id = ANY($2) AND (o.units IS NOT NULL OR c.prepaid_units > 0)
     ORDER BY s.subscription_id, c.ordinal`,
    [accountId, subscriptionIds],
  );
  return answer.rows.map((row) => ({
    subscriptionId: row.subscription_id,
    metricId: row.metric_id,
    units: decimal(row.units),
  }));
}
