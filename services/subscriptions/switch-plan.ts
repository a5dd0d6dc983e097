import { decidePlannedSwitch } from '../../billing/decide/end-subscription.ts';
import type { SubscriptionSchedule } from '../../billing/periods/schedule.ts';
import type { Plan, PlannedSwitch } from '../../billing/subscriptions/subscription.ts';
import {
  decideSwitch,
  type SwitchDecision,
  type SwitchRequest,
  successionOf,
  switchEnding,
} from '../../billing/subscriptions/switch.ts';
import type { Instant } from '../../core/instants.ts';
import { inTransaction, type Transaction } from '../../sql/postgres/postgres.ts';
import { lockSubscription } from '../../sql/postgres/subscriptions/subscriptions.ts';
import type { SwitchWire } from '../../wire/subscriptions/switches.ts';
import type { Audited } from '../audit/audited.ts';
import { saveChanges } from '../billing/save-changes.ts';
import { storeAgreed } from '../catalog/agree-version.ts';
import type { CallDependencies } from '../dependencies.ts';
import { loadBillsToCutoff, readPauses, readSubscriptionSnapshot } from '../invoices/load-bills.ts';
import type { PeriodRef, SubscriptionRef } from '../references.ts';
import { inTransactionWithUsage, type Stores } from '../usage/answered-usage.ts';
import { isDueNow, loadSubscriptionSchedule } from './load-schedule.ts';
import { findPlannedSwitch, loadSwitchSubject } from './load-switch.ts';
import { loadSubscriptionSnapshot, planNext, recordOf, type SubscriptionSnapshot } from './move-subscription.ts';
import { isCallDone, performCall, type SubscriptionCall } from './perform-call.ts';
import { goOnWithPhases } from './phases/phases.ts';
import { saveSwitch } from './save-switch.ts';
import { auditSteps, subscriptionChange } from './subscription-change.ts';

/** A switch that a caller asks for. */
export type SwitchCall = SubscriptionCall & { request: SwitchRequest };

/** A switch by a call: now, planned for later, or a planned one withdrawn (spec/subscriptions#switch). */
export async function switchPlan(
  dependencies: CallDependencies,
  call: SubscriptionRef & SwitchCall,
  cancelled: AbortSignal,
): Promise<SubscriptionSchedule> {
  if (!(await isCallDone(dependencies, call))) {
    const { request, accountId, operationId } = call;
    const snapshot = await readSubscriptionSnapshot(dependencies, call);
    const { timeZone, clockTime } = snapshot.customer;
    const at = clockTime ?? dependencies.clock.now();
    const subject = await inTransaction(dependencies.postgres, accountId, (tx) =>
      loadSwitchSubject(tx, accountId, snapshot, request),
    );
    const decision = decideSwitch(subject, request, { at, timeZone });
    const loaded =
      decision.kind === 'now' ? await loadSwitch(dependencies, snapshot, { plan: decision.plan, at }, cancelled) : null;
    await performCall(dependencies, call, 'subscription.switched', async (stores, locked, lockedAt) => {
      const subject = await loadSwitchSubject(stores.tx, accountId, locked, request);
      const again = decideSwitch(subject, request, { at: lockedAt, timeZone });
      if (again.kind === 'withdrawn') return planSwitch(stores, locked, null);
      if (again.kind === 'planned')
        return planSwitch(stores, locked, await storedSwitch(stores.tx, accountId, again, lockedAt));
      const switched = { ...request, nextPlan: again.plan, at, now: at, by: 'call', operationId } as const;
      return subscriptionChange(locked.subscription, await saveSwitch(stores, locked, loaded, switched));
    });
  }
  return loadSubscriptionSchedule(dependencies, call);
}

/** The planned switch has come. It happens at its instant, however late it is done. */
export async function switchAsPlanned(
  dependencies: CallDependencies,
  period: PeriodRef,
  cancelled: AbortSignal,
): Promise<SubscriptionSchedule> {
  const schedule = await loadSubscriptionSchedule(dependencies, period);
  const now = schedule.clockTime ?? dependencies.clock.now();
  if (!isDueNow(schedule, 'switch', period, now)) return schedule;
  const { accountId, subscriptionId } = period;
  const snapshot = await readSubscriptionSnapshot(dependencies, period);
  const at = snapshot.subscription.plannedSwitch?.at;
  if (at === undefined) throw new Error('a switch is due that is not planned');
  const terms = await inTransaction(dependencies.postgres, accountId, (tx) =>
    findPlannedSwitch(tx, accountId, snapshot),
  );
  const loaded = terms && (await loadSwitch(dependencies, snapshot, { plan: terms.nextPlan, at }, cancelled));
  await inTransactionWithUsage(dependencies, accountId, async (stores) => {
    const { tx } = stores;
    await lockSubscription(tx, accountId, subscriptionId);
    const locked = await loadSubscriptionSnapshot(tx, accountId, subscriptionId);
    if (locked.subscription.plannedSwitch?.at !== at || locked.subscription.status !== 'active') return;
    const again = await findPlannedSwitch(tx, accountId, locked);
    if (again === null) return passOver(tx, locked);
    const answer = await saveSwitch(stores, locked, loaded, { ...again, at, now, by: { dueAt: at } });
    auditSteps(tx, accountId, 'switched', [subscriptionChange(locked.subscription, answer)]);
  });
  return loadSubscriptionSchedule(dependencies, period);
}

/** What a switch closes, where it does; one that carries its period on bills nothing and has nothing to wait for. */
async function loadSwitch(
  dependencies: CallDependencies,
  snapshot: SubscriptionSnapshot,
  { plan, at }: { plan: Plan; at: Instant },
  cancelled: AbortSignal,
) {
  const { subscription } = snapshot;
  const { versionId } = plan;
  const periodIndex = subscription.currentPeriod.index;
  if (successionOf(subscription, plan, at) !== 'closes') return { versionId, periodIndex, bills: null };
  const pauses = await readPauses(dependencies, snapshot);
  const closure = { pauses, ending: switchEnding(at, subscription.currentPeriod), closes: true };
  return { versionId, periodIndex, bills: await loadBillsToCutoff(dependencies, snapshot, closure, cancelled) };
}

/** A switch that is to be planned, with the plan that is agreed on for it, where one is. */
async function storedSwitch(
  tx: Transaction,
  accountId: string,
  { plan, switch: planned }: Extract<SwitchDecision, { kind: 'planned' }>,
  at: Instant,
): Promise<PlannedSwitch> {
  const { version, agreement } = await storeAgreed(tx, accountId, plan, at);
  return agreement?.overrides ? { ...planned, agreed: { version, overrides: agreement.overrides } } : planned;
}

/** The planned switch is not made: the customer has come to hold its plan. Where it is a phase, those behind it go on (spec/subscriptions#phases). */
async function passOver(tx: Transaction, snapshot: SubscriptionSnapshot): Promise<void> {
  const { account, customer, subscription } = snapshot;
  const passed = { ...subscription, plannedSwitch: null };
  await saveChanges(tx, account.accountId, { subscriptionsChanged: [passed] });
  if (passed.phases.length > 0) await goOnWithPhases(tx, account.accountId, passed, customer.timeZone);
  await planNext(tx, snapshot, [subscription.subscriptionId]);
}

/** Plans a switch for later, in the place of an earlier one and of phases; null withdraws it. Answers the old record. */
async function planSwitch(
  stores: Stores,
  snapshot: SubscriptionSnapshot,
  plannedSwitch: PlannedSwitch | null,
): Promise<Audited<SwitchWire>> {
  const { account, subscription } = snapshot;
  const planned = decidePlannedSwitch(subscription, plannedSwitch);
  await saveChanges(stores.tx, account.accountId, planned.changes);
  const changed = { ...snapshot, subscription: planned.subscription };
  await planNext(stores.tx, changed, [subscription.subscriptionId]);
  const answer = { ...(await recordOf(stores, changed)), proration: null, invoice_id: null };
  return subscriptionChange(subscription, answer);
}
