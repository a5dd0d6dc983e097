import { type BoundaryInput, boundaryCharges } from '../../billing/boundary-charges.ts';
import { computeInvoice } from '../../billing/compute-invoice.ts';
import { type Instant, localDateAt } from '../../billing/instants.ts';
import { nextBoundary } from '../../billing/next-boundary.ts';
import { nextSubscriptionStatus } from '../../billing/states.ts';
import type { Customer, Subscription } from '../../billing/subscription.ts';
import { type Account, loadAccount } from '../../sql/accounts.ts';
import { listCreditsWithRemainder, lockCredits } from '../../sql/credits.ts';
import { loadCustomer } from '../../sql/customers.ts';
import { clearSteps, planBoundary } from '../../sql/due-steps.ts';
import { loadBoundary } from '../../sql/load-invoice-inputs.ts';
import { insertOutboxEvent } from '../../sql/outbox.ts';
import { insertPeriod, updatePeriodClosed } from '../../sql/periods.ts';
import { inTransaction, type Transaction } from '../../sql/postgres.ts';
import { findSubscription, lockSubscription, updateSubscriptionStatus } from '../../sql/subscriptions.ts';
import { subscriptionToWire } from '../../wire/subscriptions.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { saveInvoice } from './save-invoice.ts';

export type Closing = {
  accountId: string;
  subscriptionId: string;
  periodIndex: number;
  /** The stream position up to which usage counts. */
  sealPosition: bigint;
  /** The customer's time: that of its test clock, else real time. */
  now: Instant;
};

/**
 * Issues the invoice of a period that has ended, closes it and opens the next one or ends the subscription: load, compute,
 * then save in one transaction. Does nothing where the period is closed already, so that any number of runs make one
 * invoice (contract 7, invoices on schedule).
 */
export async function issuePeriodInvoice(
  { postgres, clickhouse }: Pick<ActivityDependencies, 'postgres' | 'clickhouse'>,
  closing: Closing,
): Promise<void> {
  const { accountId, subscriptionId, periodIndex, sealPosition } = closing;
  const before = await inTransaction(postgres, accountId, (tx) => loadBoth(tx, accountId, subscriptionId));
  if (before.subscription.currentPeriod.index !== periodIndex) return;
  const sources = { postgres, clickhouse };
  const boundary = await loadBoundary(sources, accountId, before.customer, before.subscription, sealPosition);
  await inTransaction(postgres, accountId, (tx) => saveClosing(tx, closing, boundary));
}

async function loadBoth(tx: Transaction, accountId: string, subscriptionId: string) {
  const subscription = await findSubscription(tx, accountId, subscriptionId);
  if (!subscription) throw new Error(`subscription ${subscriptionId} is missing`);
  return { subscription, customer: await loadCustomer(tx, accountId, subscription.customerId) };
}

async function saveClosing(tx: Transaction, closing: Closing, boundary: BoundaryInput): Promise<void> {
  const { accountId, subscriptionId, periodIndex, now } = closing;
  await lockSubscription(tx, accountId, subscriptionId);
  if (!(await updatePeriodClosed(tx, accountId, subscriptionId, periodIndex, now))) return;
  const { subscription, customer } = await loadBoth(tx, accountId, subscriptionId);
  const account = await loadAccount(tx, accountId);
  await lockCredits(tx, accountId, customer.customerId);
  const today = localDateAt(now, customer.timeZone);
  const invoice = computeInvoice({
    ...boundaryCharges(boundary),
    kind: boundary.next === null ? 'closing' : 'period',
    currency: customer.currency,
    taxRate: customer.taxRate,
    periodStart: subscription.currentPeriod.startsAt,
    periodEnd: subscription.currentPeriod.endsAt,
    waiting: [],
    credits: await listCreditsWithRemainder(tx, accountId, customer.customerId),
    today,
  });
  await saveInvoice(tx, { account, customer, subscriptionId, periodIndex, invoice, now });
  if (boundary.next === null) await expire(tx, accountId, subscription);
  else await renew(tx, account, customer, { ...subscription, currentPeriod: boundary.next });
}

async function renew(tx: Transaction, account: Account, customer: Customer, renewed: Subscription): Promise<void> {
  const { accountId, invoiceGraceSeconds: graceSeconds } = account;
  const { subscriptionId, currentPeriod: openPeriod } = renewed;
  const status = nextSubscriptionStatus(renewed.status, 'renew');
  await insertPeriod(tx, accountId, subscriptionId, openPeriod);
  const owner = { accountId, testClockId: customer.testClockId, subscriptionId };
  await planBoundary(tx, owner, nextBoundary({ status, openPeriod, graceSeconds }));
  const subject = `subscription/${subscriptionId}`;
  const data = subscriptionToWire({ ...renewed, status });
  await insertOutboxEvent(tx, { accountId, type: 'subscription.renewed', subject, data });
}

/** A subscription that does not renew ends with its period (contract 7, auto_renew false). */
async function expire(tx: Transaction, accountId: string, subscription: Subscription): Promise<void> {
  const expired: Subscription = {
    ...subscription,
    status: nextSubscriptionStatus(subscription.status, 'expire'),
    canceledAt: subscription.currentPeriod.endsAt,
    cancelReason: 'expired',
  };
  const subject = `subscription/${subscription.subscriptionId}`;
  await updateSubscriptionStatus(tx, accountId, expired);
  await clearSteps(tx, { accountId, subject });
  await insertOutboxEvent(tx, { accountId, type: 'subscription.canceled', subject, data: subscriptionToWire(expired) });
}
