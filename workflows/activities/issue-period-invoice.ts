import { type BoundaryInput, boundaryCharges } from '../../billing/boundary-charges.ts';
import { computeInvoice } from '../../billing/compute-invoice.ts';
import { type Instant, localDateAt } from '../../billing/instants.ts';
import { nextBoundary } from '../../billing/next-boundary.ts';
import { nextSubscriptionStatus } from '../../billing/states.ts';
import type { Customer, Subscription } from '../../billing/subscription.ts';
import { type Account, loadAccount } from '../../sql/accounts.ts';
import { updateAddonsBilled } from '../../sql/addon-subscriptions.ts';
import { insertBilledUsage } from '../../sql/billed-usage.ts';
import { listCreditsWithRemainder, lockCredits } from '../../sql/credits.ts';
import { loadCustomer } from '../../sql/customers.ts';
import { clearSteps, planBoundary } from '../../sql/due-steps.ts';
import { type LateUsage, loadLateUsage, updateLateUsage } from '../../sql/late-usage.ts';
import { insertLineCounts } from '../../sql/line-counts.ts';
import { loadBoundary, loadBoundaryTerms } from '../../sql/load-invoice-inputs.ts';
import { insertOutboxEvent } from '../../sql/outbox.ts';
import { insertPeriod, updatePeriodClosed } from '../../sql/periods.ts';
import { inTransaction, type Transaction } from '../../sql/postgres.ts';
import { saveInvoice } from '../../sql/save-invoice.ts';
import { loadSubscriptionRecord } from '../../sql/subscription-records.ts';
import { findSubscription, lockSubscription, updateSubscriptionStatus } from '../../sql/subscriptions.ts';
import { upsertUsageMark } from '../../sql/usage-marks.ts';
import { subscriptionToWire } from '../../wire/subscriptions.ts';
import type { ActivityDependencies } from './dependencies.ts';

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
  const { customer, subscription } = before;
  const boundary = await loadBoundary(sources, accountId, customer, subscription, sealPosition);
  const question = { subscriptionId, withEnded: true, upTo: sealPosition };
  const late = await loadLateUsage(sources, accountId, customer, question);
  await inTransaction(postgres, accountId, (tx) => saveClosing({ tx, clickhouse }, closing, { boundary, late }));
}

async function loadBoth(tx: Transaction, accountId: string, subscriptionId: string) {
  const subscription = await findSubscription(tx, accountId, subscriptionId);
  if (!subscription) throw new Error(`subscription ${subscriptionId} is missing`);
  return { subscription, customer: await loadCustomer(tx, accountId, subscription.customerId) };
}

type Stores = { tx: Transaction; clickhouse: ActivityDependencies['clickhouse'] };

/** What a closing bills by: the usage up to its seal, of the period that ends and of those closed before. */
type Loaded = { boundary: BoundaryInput; late: LateUsage };

async function saveClosing(stores: Stores, closing: Closing, loaded: Loaded): Promise<void> {
  const { tx } = stores;
  const { accountId, subscriptionId, periodIndex, sealPosition, now } = closing;
  await lockSubscription(tx, accountId, subscriptionId);
  if (!(await updatePeriodClosed(tx, accountId, subscriptionId, periodIndex, now))) return;
  const { subscription, customer } = await loadBoth(tx, accountId, subscriptionId);
  const account = await loadAccount(tx, accountId);
  const { customerId, currency, taxRate } = customer;
  const terms = await loadBoundaryTerms(tx, accountId, customer, subscription);
  const charges = boundaryCharges({ ...loaded.boundary, ...terms });
  const counted = await updateLateUsage(tx, accountId, loaded.late, sealPosition);
  const late = account.lateUsage === 'ignore' ? [] : counted;
  await lockCredits(tx, accountId, customerId);
  const { startsAt, endsAt } = subscription.currentPeriod;
  const invoice = computeInvoice({
    ...charges,
    late,
    kind: terms.next === null ? 'closing' : 'period',
    currency,
    taxRate,
    periodStart: startsAt,
    periodEnd: endsAt,
    waiting: [],
    credits: await listCreditsWithRemainder(tx, accountId, customerId),
    today: localDateAt(now, customer.timeZone),
  });
  const issued = await saveInvoice(tx, { account, customer, subscriptionId, periodIndex, invoice, now });
  await updateAddonsBilled(tx, accountId, charges.addons);
  const { usages } = charges;
  const { timeZone } = customer;
  await insertBilledUsage(tx, accountId, usages, timeZone);
  await insertLineCounts(tx, accountId, issued, { usages, late, timeZone, countedTo: sealPosition });
  await upsertUsageMark(tx, accountId, customerId, { subscriptionId, countedTo: sealPosition, startsAt, endsAt });
  if (terms.next === null) await expire(stores, accountId, subscription);
  else await renew(stores, account, customer, { ...subscription, currentPeriod: terms.next });
}

async function renew(stores: Stores, account: Account, customer: Customer, renewed: Subscription): Promise<void> {
  const { tx } = stores;
  const { accountId, invoiceGraceSeconds: graceSeconds } = account;
  const { subscriptionId, currentPeriod: openPeriod } = renewed;
  const status = nextSubscriptionStatus(renewed.status, 'renew');
  await insertPeriod(tx, accountId, subscriptionId, openPeriod);
  const owner = { accountId, testClockId: customer.testClockId, subscriptionId };
  await planBoundary(tx, owner, nextBoundary({ status, openPeriod, graceSeconds }));
  const subject = `subscription/${subscriptionId}`;
  const data = subscriptionToWire(await loadSubscriptionRecord(stores, accountId, { ...renewed, status }));
  await insertOutboxEvent(tx, { accountId, type: 'subscription.renewed', subject, data });
}

/** A subscription that does not renew ends with its period (contract 7, auto_renew false). */
async function expire(stores: Stores, accountId: string, subscription: Subscription): Promise<void> {
  const { tx } = stores;
  const expired: Subscription = {
    ...subscription,
    status: nextSubscriptionStatus(subscription.status, 'expire'),
    canceledAt: subscription.currentPeriod.endsAt,
    cancelReason: 'expired',
  };
  const subject = `subscription/${subscription.subscriptionId}`;
  await updateSubscriptionStatus(tx, accountId, expired);
  await clearSteps(tx, { accountId, subject });
  const data = subscriptionToWire(await loadSubscriptionRecord(stores, accountId, expired));
  await insertOutboxEvent(tx, { accountId, type: 'subscription.canceled', subject, data });
}
