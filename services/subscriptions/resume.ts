import type { IssuedBy } from '../../billing/decide/issue-input.ts';
import { decideResume } from '../../billing/decide/pause.ts';
import { resumedPauses } from '../../billing/periods/pauses.ts';
import { dateIn } from '../../billing/periods/periods.ts';
import type { SubscriptionSchedule } from '../../billing/periods/schedule.ts';
import { nextSubscriptionStatus } from '../../billing/subscriptions/states.ts';
import type { Instant } from '../../core/instants.ts';
import { inTransaction } from '../../sql/postgres/postgres.ts';
import { listPauses } from '../../sql/postgres/subscriptions/pauses.ts';
import { listWaitingPeriods } from '../../sql/postgres/subscriptions/periods.ts';
import { lockSubscription } from '../../sql/postgres/subscriptions/subscriptions.ts';
import type { SubscriptionWire } from '../../wire/subscriptions.ts';
import type { Audited } from '../audit/audited.ts';
import { saveChanges } from '../billing/save-changes.ts';
import type { CallDependencies } from '../dependencies.ts';
import { billBoundary } from '../invoices/bill-boundaries.ts';
import type { Issuing } from '../invoices/issue-invoices.ts';
import { updateLateUsage } from '../invoices/late-usage.ts';
import { type BillsToCutoff, loadBillsToCutoff, readSubscriptionSnapshot } from '../invoices/load-bills.ts';
import { lockChargedBy } from '../invoices/lock-charged.ts';
import type { PeriodRef, SubscriptionRef } from '../references.ts';
import { inTransactionWithUsage, type Stores } from '../usage/answered-usage.ts';
import { isDueNow, loadSubscriptionSchedule } from './load-schedule.ts';
import { loadSubscriptionSnapshot, planNext, publish, type SubscriptionSnapshot } from './move-subscription.ts';
import { ChangedMeanwhile, isCallDone, performCall, type SubscriptionCall } from './perform-call.ts';
import { goOnWithPhases } from './phases/phases.ts';
import { auditSteps, subscriptionChange } from './subscription-change.ts';

/** A resume that a caller asks for. */
export type ResumeCall = SubscriptionCall;

/** A resume by a call (spec/subscriptions#pause). */
export async function resumeSubscription(
  dependencies: CallDependencies,
  call: SubscriptionRef & ResumeCall,
  cancelled: AbortSignal,
): Promise<SubscriptionSchedule> {
  if (!(await isCallDone(dependencies, call))) {
    const snapshot = await readSubscriptionSnapshot(dependencies, call);
    nextSubscriptionStatus(snapshot.subscription.status, 'resume');
    const at = snapshot.customer.clockTime ?? dependencies.clock.now();
    const bills = await loadWaiting(dependencies, snapshot, at, cancelled);
    await performCall(dependencies, call, 'subscription.resumed', (stores, locked) =>
      resume(stores, locked, bills, { at, now: at, by: 'call' }),
    );
  }
  return loadSubscriptionSchedule(dependencies, call);
}

/** `resumes_at` has come. It happened at its instant, however late it is done. */
export async function resumeAsPlanned(
  dependencies: CallDependencies,
  period: PeriodRef,
  cancelled: AbortSignal,
): Promise<SubscriptionSchedule> {
  const schedule = await loadSubscriptionSchedule(dependencies, period);
  const now = schedule.clockTime ?? dependencies.clock.now();
  if (!isDueNow(schedule, 'resume', period, now) || schedule.next === null) return schedule;
  const at = schedule.next.dueAt;
  const bills = await loadWaiting(dependencies, await readSubscriptionSnapshot(dependencies, period), at, cancelled);
  const { accountId, subscriptionId } = period;
  await inTransactionWithUsage(dependencies, accountId, async (stores) => {
    const { tx } = stores;
    await lockSubscription(tx, accountId, subscriptionId);
    const locked = await loadSubscriptionSnapshot(tx, accountId, subscriptionId);
    if (locked.subscription.paused?.resumesAt !== at) return;
    auditSteps(tx, accountId, 'resumed', [await resume(stores, locked, bills, { at, now, by: { dueAt: at } })]);
  });
  return loadSubscriptionSchedule(dependencies, period);
}

/** What the periods that ended in the pause bill, or null where none did: then nothing has to be read or waited for. */
async function loadWaiting(
  dependencies: CallDependencies,
  snapshot: SubscriptionSnapshot,
  at: Instant,
  cancelled: AbortSignal,
): Promise<BillsToCutoff | null> {
  const { account, subscription } = snapshot;
  const { accountId } = account;
  const { waiting, pauses } = await inTransaction(dependencies.postgres, accountId, async (tx) => ({
    waiting: await listWaitingPeriods(tx, accountId, subscription.subscriptionId),
    pauses: await listPauses(tx, accountId, subscription.subscriptionId),
  }));
  if (waiting.length === 0) return null;
  const resumed = { at, on: dateIn(subscription.currentPeriod, at) };
  const closure = { pauses: resumedPauses(pauses, resumed), ending: null, closes: false };
  return loadBillsToCutoff(dependencies, snapshot, closure, cancelled);
}

async function resume(
  stores: Stores,
  snapshot: SubscriptionSnapshot,
  bills: BillsToCutoff | null,
  { at, now, by }: { at: Instant; now: Instant; by: IssuedBy },
): Promise<Audited<SubscriptionWire>> {
  const { tx } = stores;
  const { account, subscription } = snapshot;
  const { accountId } = account;
  const { subscriptionId } = subscription;
  const { subscription: unpaused, changes } = decideResume(subscription, at);
  const waiting = await listWaitingPeriods(tx, accountId, subscriptionId);
  if (waiting.length !== (bills?.boundaries.length ?? 0)) throw new ChangedMeanwhile(subscriptionId);
  await saveChanges(tx, accountId, changes);
  const isPassedOver = unpaused.phases !== subscription.phases;
  const resumed = isPassedOver ? await goOnWithPhases(tx, accountId, unpaused, snapshot.customer.timeZone) : unpaused;
  if (bills) await saveWaiting(stores, snapshot, bills, { now, by });
  const after = { ...snapshot, subscription: resumed };
  await planNext(tx, after, [subscriptionId]);
  return subscriptionChange(subscription, await publish(stores, after, 'subscription.resumed'));
}

/** One invoice for each period that ended in the pause, in order, none where nothing is due (spec/subscriptions#pause). */
async function saveWaiting(
  { tx }: Stores,
  snapshot: SubscriptionSnapshot,
  bills: BillsToCutoff,
  { now, by }: Pick<Issuing, 'now' | 'by'>,
): Promise<void> {
  const { account, customer, subscription } = snapshot;
  const { usageCutoff } = bills;
  const billed = { account, customer, now, by, usageCutoff };
  const { boundaries } = bills;
  let late = await updateLateUsage(tx, { ...billed, boundaries, on: 'invoice' }, bills.late, usageCutoff);
  await lockChargedBy(tx, billed, bills.boundaries);
  for (const boundary of bills.boundaries) {
    const options = { kind: 'period', making: 'where_due', late } as const;
    if (await billBoundary(tx, billed, boundary, options)) late = [];
  }
  await saveChanges(tx, account.accountId, { waitingPeriodsBilled: [subscription.subscriptionId] });
}
