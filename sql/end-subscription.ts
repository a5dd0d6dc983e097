import type { Instant } from '../billing/instants.ts';
import { nextSubscriptionStatus } from '../billing/states.ts';
import type { Subscription } from '../billing/subscription.ts';
import { subscriptionToWire } from '../wire/subscriptions.ts';
import type { ClickHouseReader } from './ask-rows.ts';
import { clearSteps } from './due-steps.ts';
import { insertOutboxEvent } from './outbox.ts';
import { updatePeriodClosed } from './periods.ts';
import type { Transaction } from './postgres.ts';
import { loadSubscriptionRecord } from './subscription-records.ts';
import { findSubscription, lockSubscription, updateSubscription } from './subscriptions.ts';

/**
 * Ends a live subscription at `at` (the customer's time) without an invoice: its open period is closed, so that a closing
 * under way makes none either, nothing falls due any more, and `subscription.canceled` is told (contract 3, delete).
 * Returns it as it now is; does nothing where it has ended since it was read.
 */
export async function endSubscription(
  stores: { tx: Transaction; clickhouse: ClickHouseReader },
  accountId: string,
  subscriptionId: string,
  at: Instant,
): Promise<Subscription> {
  const { tx } = stores;
  await lockSubscription(tx, accountId, subscriptionId);
  const live = await findSubscription(tx, accountId, subscriptionId);
  if (!live) throw new Error(`subscription ${subscriptionId} is missing`);
  if (live.status === 'canceled' || live.status === 'expired') return live;
  const status = nextSubscriptionStatus(live.status, 'cancel');
  const stopped = { pausedAt: null, resumesAt: null, billsAt: null, pendingChange: null, switchAt: null };
  const ended: Subscription = { ...live, ...stopped, status, canceledAt: at, cancelReason: 'canceled' };
  await updateSubscription(tx, accountId, ended);
  await updatePeriodClosed(tx, accountId, subscriptionId, live.currentPeriod.index, at);
  const subject = `subscription/${subscriptionId}`;
  await clearSteps(tx, { accountId, subject });
  const data = subscriptionToWire(await loadSubscriptionRecord(stores, accountId, ended));
  await insertOutboxEvent(tx, { accountId, type: 'subscription.canceled', subject, data });
  return ended;
}

/** What canceled subscriptions of a customer left to be invoiced later never will be: it is deleted (contract 3). */
export async function clearLaterBills(tx: Transaction, accountId: string, customerId: string): Promise<void> {
  const answer = await tx.query<{ subscription_id: string }>(
    `UPDATE subscriptions SET bills_at = NULL
     WHERE account_id = $1 AND customer_id = $2 AND bills_at IS NOT NULL RETURNING subscription_id`,
    [accountId, customerId],
  );
  for (const row of answer.rows) await clearSteps(tx, { accountId, subject: `subscription/${row.subscription_id}` });
}
