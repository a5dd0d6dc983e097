import type { Succession } from '../../../billing/change-set.ts';
import type { Transaction } from '../postgres.ts';
import { moveDiscounts } from './discounts.ts';

/** Moves what goes along with a switch to the new subscription: add-ons, prepaid units, discounts, and copies of pauses. */
export async function moveToSuccessor(tx: Transaction, accountId: string, succession: Succession): Promise<void> {
  await moveAddons(tx, accountId, succession);
  await moveUnits(tx, accountId, succession);
  if (succession.hasDiscounts) await moveDiscounts(tx, accountId, succession);
  if (succession.copiesPauses) await copyPauses(tx, accountId, succession);
}

/**
 * Moves the add-ons that are still to be charged or attached: the old period becomes the new subscription's first. One that
 * has been charged for that period is not charged for it again.
 */
async function moveAddons(tx: Transaction, accountId: string, { from, to, billingIndex }: Succession): Promise<void> {
  await tx.query(
    `UPDATE addon_subscriptions SET subscription_id = $3,
       attached_period = greatest(attached_period - $4, 0),
       billed_period = CASE WHEN billed_period >= $4 THEN billed_period - $4 END,
       canceled_period = canceled_period - $4
     WHERE account_id = $1 AND subscription_id = $2
       AND (status = 'active' OR (status = 'canceled' AND canceled_period >= $4))`,
    [accountId, from, to, billingIndex],
  );
}

/**
 * Pauses of the old subscription cost the new one nothing either: neither days of the period that it carries on, nor usage
 * that has come along, over however many switches.
 */
async function copyPauses(tx: Transaction, accountId: string, { from, to }: Succession): Promise<void> {
  await tx.query(
    `INSERT INTO pauses (account_id, subscription_id, paused_at, paused_on, resumed_at, resumed_on, reason)
     SELECT account_id, $3, paused_at, paused_on, resumed_at, resumed_on, reason FROM pauses
     WHERE account_id = $1 AND subscription_id = $2 ORDER BY seq`,
    [accountId, from, to],
  );
}

/** Units that the new subscription prepays as the old one did, with what changes of them have given back in the period. */
async function moveUnits(
  tx: Transaction,
  accountId: string,
  { from, to, periodIndex, units }: Succession,
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
