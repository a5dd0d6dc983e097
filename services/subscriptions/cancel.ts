import { decidePlannedCancel } from '../../billing/decide/end-subscription.ts';
import type { IssuedBy } from '../../billing/decide/issue-input.ts';
import type { SubscriptionSchedule } from '../../billing/periods/schedule.ts';
import { type CancelRequest, decideCancel, type Ending, endingAt } from '../../billing/subscriptions/cancel.ts';
import type { CancelTerms, PlannedCancel } from '../../billing/subscriptions/subscription.ts';
import type { Instant } from '../../core/instants.ts';
import { hasPendingItems } from '../../sql/postgres/invoices/pending-items.ts';
import { lockSubscription } from '../../sql/postgres/subscriptions/subscriptions.ts';
import type { SubscriptionWire } from '../../wire/subscriptions.ts';
import type { Audited } from '../audit/audited.ts';
import { saveChanges } from '../billing/save-changes.ts';
import { saveProrationCredits } from '../credits/save-proration-credits.ts';
import type { CallDependencies } from '../dependencies.ts';
import { billBoundary, leaveBoundary } from '../invoices/bill-boundaries.ts';
import type { Issuing } from '../invoices/issue-invoices.ts';
import { updateLateUsage } from '../invoices/late-usage.ts';
import { type BillsToCutoff, loadBillsToCutoff, readPauses, readSubscriptionSnapshot } from '../invoices/load-bills.ts';
import { lockChargedBy } from '../invoices/lock-charged.ts';

import type { PeriodRef, SubscriptionRef } from '../references.ts';
import { inTransactionWithUsage, type Stores } from '../usage/answered-usage.ts';
import { isDueNow, loadSubscriptionSchedule } from './load-schedule.ts';
import {
  endSubscription,
  loadSubscriptionSnapshot,
  planNext,
  recordOf,
  type SubscriptionSnapshot,
} from './move-subscription.ts';
import { ChangedMeanwhile, isCallDone, performCall, type SubscriptionCall } from './perform-call.ts';
import { auditSteps, subscriptionChange } from './subscription-change.ts';

/** A cancel that a caller asks for. */
export type CancelCall = SubscriptionCall & { request: CancelRequest };

/** A cancel by a call: now, planned for later, or a planned one withdrawn (spec/subscriptions#cancel). */
export async function cancelSubscription(
  dependencies: CallDependencies,
  call: SubscriptionRef & CancelCall,
  cancelled: AbortSignal,
): Promise<SubscriptionSchedule> {
  if (!(await isCallDone(dependencies, call))) {
    const snapshot = await readSubscriptionSnapshot(dependencies, call);
    const { customer, subscription } = snapshot;
    const { timeZone } = customer;
    const at = customer.clockTime ?? dependencies.clock.now();
    const isNow = decideCancel(subscription, call.request, { at, timeZone }).kind === 'now';
    const loaded = isNow ? await loadEnd(dependencies, snapshot, call.request, at, cancelled) : null;
    await performCall(dependencies, call, 'subscription.canceled', async (stores, locked, lockedAt) => {
      const decision = decideCancel(locked.subscription, call.request, { at: lockedAt, timeZone });
      if (decision.kind === 'now') return cancelNow(stores, locked, loaded, { at, now: at, by: 'call' });
      return planCancel(stores, locked, decision.kind === 'planned' ? decision.cancel : null);
    });
  }
  return loadSubscriptionSchedule(dependencies, call);
}

/** The planned cancel has come. It happened at its instant, however late it is done. */
export async function cancelAsPlanned(
  dependencies: CallDependencies,
  period: PeriodRef,
  cancelled: AbortSignal,
): Promise<SubscriptionSchedule> {
  const schedule = await loadSubscriptionSchedule(dependencies, period);
  const now = schedule.clockTime ?? dependencies.clock.now();
  if (!isDueNow(schedule, 'cancel', period, now)) return schedule;
  const snapshot = await readSubscriptionSnapshot(dependencies, period);
  const { plannedCancel } = snapshot.subscription;
  if (plannedCancel === null) throw new Error('a cancel is due that is not planned');
  const { at } = plannedCancel;
  const loaded = await loadEnd(dependencies, snapshot, plannedCancel, at, cancelled);
  const { accountId, subscriptionId } = period;
  await inTransactionWithUsage(dependencies, accountId, async (stores) => {
    const { tx } = stores;
    await lockSubscription(tx, accountId, subscriptionId);
    const locked = await loadSubscriptionSnapshot(tx, accountId, subscriptionId);
    if (locked.subscription.plannedCancel?.at !== at || locked.subscription.status === 'canceled') return;
    auditSteps(tx, accountId, 'canceled', [await cancelNow(stores, locked, loaded, { at, now, by: { dueAt: at } })]);
  });
  return loadSubscriptionSchedule(dependencies, period);
}

/** What an end bills, and by which terms. */
type LoadedEnd = { terms: CancelTerms; ending: Ending; bills: BillsToCutoff | null };

async function loadEnd(
  dependencies: CallDependencies,
  snapshot: SubscriptionSnapshot,
  terms: CancelTerms,
  at: Instant,
  cancelled: AbortSignal,
): Promise<LoadedEnd> {
  const { subscription } = snapshot;
  const ending = endingAt(at, terms, subscription.currentPeriod);
  if (subscription.status === 'pending') return { terms, ending, bills: null };
  const closure = { pauses: await readPauses(dependencies, snapshot), ending, closes: true };
  return { terms, ending, bills: await loadBillsToCutoff(dependencies, snapshot, closure, cancelled) };
}

/** Ends the subscription: gives back, bills what waited in a pause, then the rest now or with the next invoice. */
async function cancelNow(
  stores: Stores,
  snapshot: SubscriptionSnapshot,
  loaded: LoadedEnd | null,
  { at, now, by }: { at: Instant; now: Instant; by: IssuedBy },
): Promise<Audited<SubscriptionWire>> {
  const { tx } = stores;
  const { account, subscription } = snapshot;
  const { accountId } = account;
  const { subscriptionId, currentPeriod } = subscription;
  const isPending = subscription.status === 'pending';
  if (!loaded || isPending !== (loaded.bills === null) || (loaded.bills?.periodIndex ?? 0) !== currentPeriod.index) {
    throw new ChangedMeanwhile(subscriptionId);
  }
  const closed = { subscriptionId, periodIndex: currentPeriod.index, closedAt: now };
  await saveChanges(tx, accountId, { periodsClosed: [closed] });
  if (loaded.bills !== null) await saveEndBills(stores, snapshot, loaded, loaded.bills, { now, by });
  // What an earlier call left for the next invoice waits as well: this one may have been the last to come.
  const hasPending = loaded.bills !== null && (await hasPendingItems(tx, accountId, subscription.customerId));
  const billsAt = hasPending ? currentPeriod.endsAt : null;
  return subscriptionChange(subscription, await endSubscription(stores, snapshot, { trigger: 'cancel', at, billsAt }));
}

async function saveEndBills(
  { tx }: Stores,
  snapshot: SubscriptionSnapshot,
  { terms, ending }: LoadedEnd,
  { boundaries, late, usageCutoff }: BillsToCutoff,
  { now, by }: Pick<Issuing, 'now' | 'by'>,
): Promise<void> {
  const { account, customer, subscription } = snapshot;
  const last = boundaries.at(-1);
  if (!last) throw new Error('an end without a period');
  const billed = { account, customer, now, by, usageCutoff };
  const on = terms.invoicingBehavior === 'add_to_next_invoice' ? 'waiting' : 'invoice';
  let lateCharges = await updateLateUsage(tx, { ...billed, boundaries, on }, late, usageCutoff);
  await lockChargedBy(tx, billed, boundaries);
  await saveProrationCredits(tx, snapshot, { boundary: last, ending, now });
  for (const boundary of boundaries.slice(0, -1)) {
    const options = { kind: 'period', making: 'where_due', late: lateCharges } as const;
    if (await billBoundary(tx, billed, boundary, options)) lateCharges = [];
  }
  await saveChanges(tx, account.accountId, { waitingPeriodsBilled: [subscription.subscriptionId] });
  if (on === 'waiting') await leaveBoundary(tx, billed, last, lateCharges);
  else await billBoundary(tx, billed, last, { kind: 'closing', making: 'where_due', late: lateCharges });
}

/** Plans a cancel for later, in the place of an earlier one; null withdraws it. */
async function planCancel(
  stores: Stores,
  snapshot: SubscriptionSnapshot,
  plannedCancel: PlannedCancel | null,
): Promise<Audited<SubscriptionWire>> {
  const { account, customer, subscription } = snapshot;
  const { subscription: changed, changes } = decidePlannedCancel(subscription, plannedCancel, customer.timeZone);
  await saveChanges(stores.tx, account.accountId, changes);
  const now = { ...snapshot, subscription: changed };
  await planNext(stores.tx, now, [changed.subscriptionId]);
  return subscriptionChange(subscription, await recordOf(stores, now));
}
