import { isNothingDue } from '../../billing/invoices/compute-invoice.ts';
import { billableLines } from '../../billing/invoices/pending-items.ts';
import type { SubscriptionSchedule } from '../../billing/periods/schedule.ts';
import type { Instant } from '../../core/instants.ts';
import { listPendingItems } from '../../sql/postgres/invoices/pending-items.ts';
import { inTransaction, type Transaction } from '../../sql/postgres/postgres.ts';
import { listLiveSubscriptions, lockSubscription } from '../../sql/postgres/subscriptions/subscriptions.ts';
import { saveChanges } from '../billing/save-changes.ts';
import type { ServiceDependencies } from '../dependencies.ts';
import type { PeriodRef } from '../references.ts';
import { isDueNow, loadSchedule, loadSubscriptionSchedule } from '../subscriptions/load-schedule.ts';
import { loadSubscriptionSnapshot, planNext, type SubscriptionSnapshot } from '../subscriptions/move-subscription.ts';
import { type Issuing, issueInvoice } from './issue-invoices.ts';
import { lockCreditsFor } from './lock-charged.ts';

/**
 * The period of a subscription that was canceled within it is over. What it left, and no invoice has taken yet, is
 * invoiced now, unless another subscription's invoice is scheduled (spec/subscriptions#cancel).
 */
export async function billPendingItems(
  { postgres, clock }: Pick<ServiceDependencies, 'postgres' | 'clock'>,
  period: PeriodRef,
): Promise<SubscriptionSchedule> {
  const { accountId, subscriptionId } = period;
  await inTransaction(postgres, accountId, async (tx) => {
    await lockSubscription(tx, accountId, subscriptionId);
    const schedule = await loadSchedule(tx, period);
    const now = schedule.clockTime ?? clock.now();
    // Of a customer that was deleted meanwhile nothing is left to bill.
    if (!isDueNow(schedule, 'bill_waiting', period, now)) return;
    const snapshot = await loadSubscriptionSnapshot(tx, accountId, subscriptionId);
    const { customer, subscription } = snapshot;
    const others = await listLiveSubscriptions(tx, accountId, [customer.customerId]);
    if (others.every(({ status }) => status !== 'active')) await billNow(tx, snapshot, now);
    const after = { ...snapshot, subscription: { ...subscription, billsAt: null } };
    await saveChanges(tx, accountId, { subscriptionsChanged: [after.subscription] });
    await planNext(tx, after, [subscriptionId]);
  });
  return loadSubscriptionSchedule({ postgres }, { accountId, subscriptionId });
}

async function billNow(
  tx: Transaction,
  { account, customer, subscription }: SubscriptionSnapshot,
  now: Instant,
): Promise<void> {
  const { accountId } = account;
  const { customerId } = customer;
  const { subscriptionId, currentPeriod: period } = subscription;
  const issuing: Issuing = { account, customer, now, by: { dueAt: subscription.billsAt ?? now } };
  await lockCreditsFor(tx, issuing);
  const pending = billableLines(await listPendingItems(tx, accountId, customerId, { lock: true }), account);
  if (isNothingDue(pending.lines)) return;
  const charged = { kind: 'closing', pending: pending.lines } as const;
  const wanted = { subscriptionId, period, charged, taken: pending, counts: pending.counts };
  await issueInvoice(tx, issuing, wanted);
}
