import { boundaryAddons } from '../../billing/invoices/boundary-charges.ts';
import { invoicedAt } from '../../billing/invoices/pending-invoice.ts';
import type { Period } from '../../billing/periods/periods.ts';
import { beginsBilling, endsBilling } from '../../billing/periods/usage-months.ts';
import type { AddonCharge } from '../../billing/pricing/charges.ts';
import { pausesOf, planOf, segmentsOf, termsOf } from '../../billing/state/billing-rules.ts';
import { isFree, nextPeriod, plannedEnding } from '../../billing/subscriptions/closing-boundaries.ts';
import { nextSubscriptionStatus } from '../../billing/subscriptions/states.ts';
import type { Subscription } from '../../billing/subscriptions/subscription.ts';
import type { SwitchTerms } from '../../billing/subscriptions/switch.ts';
import type { Instant } from '../../core/instants.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { listChargeableAddonsOf, updateAddonsBilled } from '../../sql/postgres/subscriptions/addon-subscriptions.ts';
import { updatePeriodsEnded, updateWaitingDue } from '../../sql/postgres/subscriptions/pending-invoices.ts';
import { insertPeriods } from '../../sql/postgres/subscriptions/periods.ts';
import { updateSubscription } from '../../sql/postgres/subscriptions/subscriptions.ts';
import { loadBillingRules } from '../state/load-billing-rules.ts';
import type { Stores } from '../usage/answered-usage.ts';
import { findPlannedSwitch } from './load-switch.ts';
import { endSubscription, planNext, publish, publishAll, type SubscriptionSnapshot } from './move-subscription.ts';
import { enterPhase, savePhases } from './phases/phases.ts';
import { replaceSubscription } from './replace.ts';
import { auditSteps, subscriptionChange } from './subscription-change.ts';

/** Whose periods are over. */
export type PeriodsOwner = Pick<SubscriptionSnapshot, 'account' | 'customer'>;

/** The end of a subscription's current period; `next` null: the subscription ends with it, or is switched. */
type PeriodEnd = {
  subscription: Subscription;
  next: Period | null;
  isCanceled: boolean;
  switched: SwitchTerms | null;
};

/**
 * The current periods of these subscriptions of one customer are over: the next ones begin at once, or a subscription ends, as planned;
 * their invoices are pending until the account's grace is over, or where they ended in a pause until the resume (spec/invoices#grace).
 * The subscriptions are locked; `now` is the customer's time.
 */
export async function endPeriods(
  stores: Stores,
  owner: PeriodsOwner,
  subscriptions: readonly Subscription[],
  now: Instant,
): Promise<void> {
  const { tx } = stores;
  const { accountId } = owner.account;
  const ends: PeriodEnd[] = [];
  for (const subscription of subscriptions) ends.push(await decideEnd(tx, owner, subscription));
  const charges = await addonsOf(tx, accountId, ends);
  const free = await freeTrialsOf(tx, accountId, ends);
  const closed = ends.map(({ subscription: { subscriptionId, status, currentPeriod }, next }) => {
    const dueAt = invoicedAt(currentPeriod, { account: owner.account, isFree: free.has(subscriptionId) });
    return {
      subscriptionId,
      periodIndex: currentPeriod.index,
      invoiceDueAt: status === 'paused' && next !== null ? null : dueAt,
      addons: status === 'paused' ? null : (charges.get(subscriptionId) ?? []),
    };
  });
  await updatePeriodsEnded(tx, accountId, closed, now);
  await updateAddonsBilled(tx, accountId, [...charges.values()].flat());
  await beginNext(stores, owner, ends);
  for (const end of ends) if (end.next === null || end.switched) await endLife(stores, owner, end);
}

async function decideEnd(tx: Transaction, owner: PeriodsOwner, subscription: Subscription): Promise<PeriodEnd> {
  const ending = plannedEnding(subscription);
  const next = nextPeriod(subscription, owner.customer, ending);
  const switched = ending ? null : await findSwitchAtEnd(tx, { ...owner, subscription });
  return { subscription, next: switched ? null : next, isCanceled: ending !== null, switched };
}

/** The switch planned for the end of the period; null for none. */
async function findSwitchAtEnd(tx: Transaction, snapshot: SubscriptionSnapshot): Promise<SwitchTerms | null> {
  const { status, plannedSwitch, currentPeriod } = snapshot.subscription;
  if (status !== 'active' || plannedSwitch?.at !== currentPeriod.endsAt || !endsBilling(currentPeriod)) return null;
  return findPlannedSwitch(tx, snapshot.account.accountId, snapshot);
}

/** Those whose trial ends and is free. */
async function freeTrialsOf(tx: Transaction, accountId: string, ends: readonly PeriodEnd[]): Promise<Set<string>> {
  const trials = ends.flatMap(({ subscription }) => (subscription.currentPeriod.trial ? subscription : []));
  if (trials.length === 0) return new Set();
  const rules = await loadBillingRules(tx, accountId, trials);
  const free = trials.filter((subscription) => isFree(subscription, subscription.currentPeriod, rules));
  return new Set(free.map(({ subscriptionId }) => subscriptionId));
}

/**
 * What the pending invoices charge for add-ons, by subscription: what is attached or canceled from now on is of the next period. None
 * for what ends in a pause, where that is read when the invoice is made.
 */
async function addonsOf(
  tx: Transaction,
  accountId: string,
  ends: readonly PeriodEnd[],
): Promise<Map<string, AddonCharge[]>> {
  const active = ends.filter(({ subscription: { status } }) => status !== 'paused');
  const attached = await listChargeableAddonsOf(
    tx,
    accountId,
    active.map(({ subscription: { subscriptionId } }) => subscriptionId),
  );
  const charged = active.filter(({ subscription: { subscriptionId } }) => attached.has(subscriptionId));
  if (charged.length === 0) return new Map();
  const rules = await loadBillingRules(
    tx,
    accountId,
    charged.map(({ subscription }) => subscription),
  );
  return new Map(
    charged.map(({ subscription, next }) => {
      const { subscriptionId, currentPeriod } = subscription;
      const plan = planOf(rules, subscription);
      const { addons } = termsOf(rules, subscriptionId);
      const cuts = { pauses: pausesOf(rules, subscriptionId) };
      const ended = segmentsOf(rules, subscription, currentPeriod, cuts);
      const begun = next && segmentsOf(rules, subscription, next, cuts);
      return [subscriptionId, boundaryAddons({ subscriptionId, plan, ended, next: begun, addons })];
    }),
  );
}

/**
 * Those that go on. One that is paused goes on so, and of that nothing is published (spec/subscriptions#pause) but the end of a trial;
 * nor is it of a usage month within a billing period.
 */
async function beginNext(stores: Stores, owner: PeriodsOwner, ends: readonly PeriodEnd[]): Promise<void> {
  const { tx } = stores;
  const { accountId } = owner.account;
  const going: Renewed[] = [];
  for (const { subscription: old, next } of ends) {
    if (next) going.push({ old, subscription: await beginPeriod(tx, owner, old, next) });
  }
  const begun = going.map(({ subscription }) => subscription);
  await insertPeriods(
    tx,
    accountId,
    begun.map(({ subscriptionId, currentPeriod }) => ({ ...currentPeriod, subscriptionId })),
  );
  const renewed: Renewed[] = [];
  for (const { old, subscription } of going) {
    const isRenewed = subscription.status !== 'paused' && beginsBilling(subscription.currentPeriod);
    if (isRenewed) renewed.push({ old, subscription: await renew(tx, accountId, subscription) });
    else if (old.currentPeriod.trial) renewed.push({ old, subscription });
  }
  await planNext(
    tx,
    owner,
    begun.map(({ subscriptionId }) => subscriptionId),
  );
  const isTrial = ({ old }: Renewed) => old.currentPeriod.trial !== undefined;
  await publishBegun(stores, accountId, renewed.filter(isTrial), 'trial_ended');
  await publishBegun(
    stores,
    accountId,
    renewed.filter((one) => !isTrial(one)),
    'renewed',
  );
}

/** The subscription in its next period, with which a phase may begin, or the switch to one come within reach. */
async function beginPeriod(
  tx: Transaction,
  owner: PeriodsOwner,
  old: Subscription,
  next: Period,
): Promise<Subscription> {
  if (old.phases.length === 0) return { ...old, currentPeriod: next };
  const { accountId } = owner.account;
  const entered = await enterPhase(tx, accountId, old, next);
  return savePhases(tx, accountId, entered, owner.customer.timeZone);
}

/** One whose next billing period has begun. */
type Renewed = { old: Subscription; subscription: Subscription };

async function publishBegun(
  stores: Stores,
  accountId: string,
  begun: readonly Renewed[],
  what: 'renewed' | 'trial_ended',
): Promise<void> {
  const subscriptions = begun.map(({ subscription }) => subscription);
  const records = await publishAll(stores, accountId, subscriptions, `subscription.${what}`);
  const changes = records.flatMap((record, i) => {
    const old = begun[i]?.old;
    return old ? [subscriptionChange(old, record)] : [];
  });
  auditSteps(stores.tx, accountId, what, changes);
}

/** A switch that could not be made at the end of the period before is dropped. */
async function renew(tx: Transaction, accountId: string, subscription: Subscription): Promise<Subscription> {
  const { plannedSwitch, currentPeriod } = subscription;
  const status = nextSubscriptionStatus(subscription.status, 'renew');
  const isDropped = plannedSwitch !== null && plannedSwitch.at <= currentPeriod.startsAt;
  const renewed: Subscription = { ...subscription, status, plannedSwitch: isDropped ? null : plannedSwitch };
  if (isDropped) await updateSubscription(tx, accountId, renewed);
  return renewed;
}

/** One that ends with its period: switched, canceled, or expired. What waited for its resume is invoiced after the grace. */
async function endLife(
  stores: Stores,
  owner: PeriodsOwner,
  { subscription, switched, isCanceled }: PeriodEnd,
): Promise<void> {
  const { tx } = stores;
  const { account } = owner;
  const { subscriptionId, status, currentPeriod } = subscription;
  const at = currentPeriod.endsAt;
  const snapshot = { ...owner, subscription };
  if (currentPeriod.trial) await publish(stores, snapshot, 'subscription.trial_ended');
  if (switched) {
    const parties = await replaceSubscription(tx, snapshot, { ...switched, at });
    const record = await publish(stores, { ...owner, subscription: parties.next }, 'subscription.plan_changed');
    auditSteps(tx, account.accountId, 'switched', [subscriptionChange(subscription, record)]);
    return;
  }
  if (status === 'paused') {
    await updateWaitingDue(tx, account.accountId, subscriptionId, at + account.invoiceGraceSeconds * 1000);
  }
  const record = await endSubscription(stores, snapshot, { trigger: isCanceled ? 'cancel' : 'expire', at });
  auditSteps(tx, account.accountId, isCanceled ? 'canceled' : 'expired', [subscriptionChange(subscription, record)]);
}
