import type { BoundaryInput } from '../../billing/invoices/boundary-charges.ts';
import type { LateUsage } from '../../billing/metering/late-usage.ts';
import type { Period } from '../../billing/periods/periods.ts';
import type { SubscriptionSchedule } from '../../billing/periods/schedule.ts';
import type { Ending } from '../../billing/subscriptions/cancel.ts';
import { closingBoundaries, nextPeriod, plannedEnding } from '../../billing/subscriptions/closing-boundaries.ts';
import { nextSubscriptionStatus } from '../../billing/subscriptions/states.ts';
import type { Customer, Subscription } from '../../billing/subscriptions/subscription.ts';
import type { SwitchTerms } from '../../billing/subscriptions/switch.ts';
import type { Instant } from '../../core/instants.ts';
import { loadAccount } from '../../sql/postgres/accounts/accounts.ts';
import { loadCustomer } from '../../sql/postgres/customers/customers.ts';
import { listUsageWatermarks } from '../../sql/postgres/invoices/usage-watermarks.ts';
import { inTransaction, type Transaction } from '../../sql/postgres/postgres.ts';
import { insertPeriod, updatePeriodClosed, updatePeriodsBilled } from '../../sql/postgres/subscriptions/periods.ts';
import {
  findSubscription,
  lockSubscription,
  updateSubscription,
} from '../../sql/postgres/subscriptions/subscriptions.ts';
import { saveProrationCredits } from '../credits/save-proration-credits.ts';
import type { ServiceDependencies } from '../dependencies.ts';
import { loadBillingRules } from '../snapshot/load-billing-rules.ts';
import { beginSuccessor } from '../subscriptions/begin-successor.ts';
import { loadSchedule } from '../subscriptions/load-schedule.ts';
import { findPlannedSwitch } from '../subscriptions/load-switch.ts';
import { endSubscription, planNext, publish, type SubscriptionSnapshot } from '../subscriptions/move-subscription.ts';
import { answerUsage } from '../usage/answer-usage.ts';
import { inTransactionWithUsage, type Stores } from '../usage/answered-usage.ts';
import { countLateSince, updateLateUsage } from './late-usage.ts';
import type { InvoiceSources } from './load-invoice-inputs.ts';
import { type Begun, type Billed, saveBill } from './save-bill.ts';

export type Closing = {
  accountId: string;
  subscriptionId: string;
  periodIndex: number;
  /** The stream position up to which usage counts. */
  usageCutoff: bigint;
  /** The customer's time: that of its test clock, else real time. */
  now: Instant;
};

/** What a closing bills by: usage up to its cutoff, of the periods that end and of those closed before. */
export type LoadedBills = { boundaries: BoundaryInput[]; late: LateUsage };

/**
 * Issues the invoice of a period that has ended, closes it and opens the next one or ends the subscription: load, compute,
 * then save in one transaction; returns what comes next. Does nothing where the period is closed already, so that any number
 * of runs make one invoice (spec/subscriptions#pause). One that ends in a pause bills what waited for the resume, too.
 */
export async function issuePeriodInvoice(sources: InvoiceSources, closing: Closing): Promise<SubscriptionSchedule> {
  const { accountId, usageCutoff } = closing;
  const { postgres } = sources;
  const before = await inTransaction(postgres, accountId, (tx) => loadBefore(tx, closing));
  if ('schedule' in before) return before.schedule;
  const { rules, watermarks, ...closed } = before;
  const { customerId } = closed.customer;
  const owner = { accountId, customerId, upTo: usageCutoff };
  const boundaries = await answerUsage(sources, owner, closingBoundaries(closed, rules));
  const late = await countLateSince(sources, { accountId, customerId }, watermarks, usageCutoff);
  return inTransactionWithUsage(sources, accountId, async (stores) => {
    await saveClosing(stores, closing, { boundaries, late });
    return loadSchedule(stores.tx, closing);
  });
}

/** All that the records say for a closing; of one that has been done, where its subscription stands. */
async function loadBefore(tx: Transaction, closing: Closing) {
  const { accountId, subscriptionId, periodIndex } = closing;
  const { subscription, customer } = await loadSubscriptionSnapshot(tx, accountId, subscriptionId);
  if (subscription.currentPeriod.index !== periodIndex) return { schedule: await loadSchedule(tx, closing) };
  const rules = await loadBillingRules(tx, accountId, [subscription]);
  const pauses = rules.pausesOf(subscriptionId);
  const closure = { pauses, ending: plannedEnding(subscription, customer), closes: true };
  const owner = { customerId: customer.customerId, subscriptionId, withEnded: true };
  return { customer, subscription, closure, rules, watermarks: await listUsageWatermarks(tx, accountId, owner) };
}

/** The subscription with its account and customer. */
export async function loadSubscriptionSnapshot(
  tx: Transaction,
  accountId: string,
  subscriptionId: string,
): Promise<SubscriptionSnapshot> {
  const subscription = await findSubscription(tx, accountId, subscriptionId);
  if (!subscription) throw new Error(`subscription ${subscriptionId} is missing`);
  const customer = await loadCustomer(tx, accountId, subscription.customerId);
  return { subscription, customer, account: await loadAccount(tx, accountId) };
}

async function saveClosing(stores: Stores, closing: Closing, { boundaries, late }: LoadedBills): Promise<void> {
  const { tx } = stores;
  const { accountId, subscriptionId, periodIndex, usageCutoff, now } = closing;
  await lockSubscription(tx, accountId, subscriptionId);
  if (!(await updatePeriodClosed(tx, accountId, subscriptionId, periodIndex, now))) return;
  const snapshot = await loadSubscriptionSnapshot(tx, accountId, subscriptionId);
  const { subscription, customer, account } = snapshot;
  const { ending, next } = endOf(subscription, customer);
  const last = boundaries.at(-1);
  if (!last || (last.next === null) !== (next === null)) throw new Error(`${subscriptionId} was changed meanwhile`);
  const billed: Billed = { account, customer, now, usageCutoff };
  const switched = ending ? null : await findSwitchAtEnd(tx, snapshot);
  let begun: Begun | undefined;
  const begin = async () => {
    if (switched) begun = await beginSuccessor(tx, snapshot, switched, subscription.currentPeriod.endsAt);
    return begun ?? null;
  };
  let lateCharges = await updateLateUsage(tx, accountId, late, usageCutoff);
  if (ending) await saveProrationCredits(tx, snapshot, { boundary: last, ending, now });
  for (const boundary of boundaries) {
    const isCurrent = boundary === last;
    const kind = isCurrent && next === null && switched === null ? 'closing' : 'period';
    const making = subscription.status === 'paused' ? 'where_due' : 'scheduled';
    const of = { ...boundary, ...(isCurrent && { ending, next: switched ? null : next }) };
    const options = { kind, making, late: lateCharges, ...(isCurrent && { begin }) } as const;
    if (await saveBill(tx, billed, of, options)) lateCharges = [];
  }
  await updatePeriodsBilled(tx, accountId, subscriptionId);
  if (begun) {
    await publish(stores, { ...snapshot, subscription: begun.subscription }, 'subscription.plan_changed');
  } else if (next === null) {
    const trigger = ending ? 'cancel' : 'expire';
    await endSubscription(stores, snapshot, { trigger, at: subscription.currentPeriod.endsAt });
  } else await renew(stores, { ...snapshot, subscription: { ...subscription, currentPeriod: next } });
}

/** The switch planned for the end of the period; null for none. */
async function findSwitchAtEnd(tx: Transaction, snapshot: SubscriptionSnapshot): Promise<SwitchTerms | null> {
  const { status, switchAt, currentPeriod } = snapshot.subscription;
  if (status !== 'active' || switchAt !== currentPeriod.endsAt) return null;
  return findPlannedSwitch(tx, snapshot.account.accountId, snapshot);
}

/** Closes a period that ended in a pause and opens the next one; its invoice waits for the resume (spec/subscriptions#pause). */
export async function rollPausedPeriod(
  { postgres }: Pick<ServiceDependencies, 'postgres'>,
  { accountId, subscriptionId, periodIndex, now }: Omit<Closing, 'usageCutoff'>,
): Promise<'rolled' | 'ends'> {
  return inTransaction(postgres, accountId, async (tx) => {
    await lockSubscription(tx, accountId, subscriptionId);
    const snapshot = await loadSubscriptionSnapshot(tx, accountId, subscriptionId);
    const { next } = endOf(snapshot.subscription, snapshot.customer);
    if (next === null || snapshot.subscription.status !== 'paused') return 'ends';
    if (!(await updatePeriodClosed(tx, accountId, subscriptionId, periodIndex, now, { waits: true }))) return 'rolled';
    await insertPeriod(tx, accountId, subscriptionId, next);
    await planNext(tx, { ...snapshot, subscription: { ...snapshot.subscription, currentPeriod: next } }, next);
    return 'rolled';
  });
}

function endOf(subscription: Subscription, customer: Customer): { ending: Ending | null; next: Period | null } {
  const ending = plannedEnding(subscription, customer);
  return { ending, next: nextPeriod(subscription, customer, ending) };
}

async function renew(stores: Stores, snapshot: SubscriptionSnapshot): Promise<void> {
  const { subscription } = snapshot;
  const { switchAt, currentPeriod } = subscription;
  const status = nextSubscriptionStatus(subscription.status, 'renew');
  // A switch that could not be made at the end of the period before is dropped.
  const isDropped = status === 'active' && switchAt !== null && switchAt <= currentPeriod.startsAt;
  const renewed: Subscription = { ...subscription, status, ...(isDropped && { switchAt: null, pendingChange: null }) };
  if (isDropped) await updateSubscription(stores.tx, snapshot.account.accountId, renewed);
  await insertPeriod(stores.tx, snapshot.account.accountId, renewed.subscriptionId, renewed.currentPeriod);
  await planNext(stores.tx, { ...snapshot, subscription: renewed }, renewed.currentPeriod);
  await publish(stores, { ...snapshot, subscription: renewed }, 'subscription.renewed');
}
