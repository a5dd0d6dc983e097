import type { Transaction } from '../postgres.ts';
import type { PrepaidUnits } from './prepaid-units.ts';

/** What a switch moves from the old subscription to the new one. `periodIndex` is the old one's period that it carries on, of add-ons the billing period. */
export type Move = { from: string; to: string; periodIndex: number };

/**
 * Moves the add-ons that are still to be charged or attached: the old period becomes the new subscription's first. One that
 * has been charged for that period is not charged for it again.
 */
export async function moveAddons(tx: Transaction, accountId: string, { from, to, periodIndex }: Move): Promise<void> {
  await tx.query(
    `UPDATE addon_subscriptions SET subscription_id = $3,
       attached_period = greatest(attached_period - $4, 0),
       billed_period = CASE WHEN billed_period >= $4 THEN billed_period - $4 END,
       canceled_period = canceled_period - $4
     WHERE account_id = $1 AND subscription_id = $2
       AND (status = 'active' OR (status = 'canceled' AND canceled_period >= $4))`,
    [accountId, from, to, periodIndex],
  );
}

/**
 * Pauses of the old subscription cost the new one nothing either: neither days of the period that it carries on, nor usage
 * that has come along, over however many switches.
 */
export async function copyPauses(
  tx: Transaction,
  accountId: string,
  { from, to }: Pick<Move, 'from' | 'to'>,
): Promise<void> {
  await tx.query(
    `INSERT INTO pauses (account_id, subscription_id, paused_at, paused_on, resumed_at, resumed_on, reason)
     SELECT account_id, $3, paused_at, paused_on, resumed_at, resumed_on, reason FROM pauses
     WHERE account_id = $1 AND subscription_id = $2 ORDER BY seq`,
    [accountId, from, to],
  );
}

/** Units that the new subscription prepays as the old one did, with what changes of them have given back in the period. */
export async function moveUnits(
  tx: Transaction,
  accountId: string,
  { from, to, periodIndex }: Move,
  units: readonly PrepaidUnits[],
): Promise<void> {
  for (const { metricId, units: count } of units) {
    await tx.query(
      `INSERT INTO subscription_prepaid_units (account_id, subscription_id, metric_id, units, given_back, given_back_of)
       SELECT $1, $3, $4, $5, coalesce(p.given_back, 0), coalesce(p.given_back_of, '[]')
       FROM (SELECT 1) AS one LEFT JOIN subscription_prepaid_units p
         ON p.account_id = $1 AND p.subscription_id = $2 AND p.metric_id = $4 AND p.from_period = $6`,
      [accountId, from, to, metricId, count.toFixed(), periodIndex],
    );
  }
}
