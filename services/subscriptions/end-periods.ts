import { decidePeriodEnds, type PeriodEnd, type Renewed, versionBegun } from '../../billing/decide/end-periods.ts';
import { plansByVersion } from '../../billing/invoices/agreed-lines.ts';
import { boundaryAddons } from '../../billing/invoices/boundary-charges.ts';
import { endsBilling } from '../../billing/periods/usage-months.ts';
import type { AddonCharge } from '../../billing/pricing/charges.ts';
import { pausesOf, planOf, segmentsOf, termsOf } from '../../billing/state/billing-rules.ts';
import { isFree, nextPeriod, plannedEnding } from '../../billing/subscriptions/closing-boundaries.ts';
import type { Subscription } from '../../billing/subscriptions/subscription.ts';
import type { SwitchTerms } from '../../billing/subscriptions/switch.ts';
import type { Instant } from '../../core/instants.ts';
import { loadPlans } from '../../sql/postgres/catalog/plans.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { listChargeableAddonsOf } from '../../sql/postgres/subscriptions/addon-subscriptions.ts';
import { saveChanges } from '../billing/save-changes.ts';
import { loadBillingRules } from '../state/load-billing-rules.ts';
import type { Stores } from '../usage/answered-usage.ts';
import { findPlannedSwitch } from './load-switch.ts';
import { endSubscription, planNext, publish, publishAll, type SubscriptionSnapshot } from './move-subscription.ts';
import { replaceSubscription } from './replace.ts';
import { auditSteps, subscriptionChange } from './subscription-change.ts';

/** Whose periods are over. */
export type PeriodsOwner = Pick<SubscriptionSnapshot, 'account' | 'customer'>;

/**
 * Ends the current periods of subscriptions of one customer, which the caller has locked. Begins their next periods, or ends those
 * subscriptions whose end is planned. `now` is the customer's time.
 */
export async function endPeriods(
  stores: Stores,
  owner: PeriodsOwner,
  subscriptions: readonly Subscription[],
  now: Instant,
): Promise<void> {
  const { tx } = stores;
  const { account, customer } = owner;
  const { accountId } = account;
  const ends: PeriodEnd[] = [];
  for (const subscription of subscriptions) ends.push(await loadEnd(tx, owner, subscription));
  const addons = await addonsOf(tx, accountId, ends);
  const free = await freeTrialsOf(tx, accountId, ends);
  const begins = ends.flatMap((end) => versionBegun(end) ?? []);
  const planOf = begins.length > 0 ? await loadPlans(tx, accountId, begins) : plansByVersion([]);
  const input = { account, timeZone: customer.timeZone, addons, free, planOf, now };
  const { changes, begun, renewed } = decidePeriodEnds(ends, input);
  await saveChanges(tx, accountId, changes);
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
  for (const end of ends) if (end.next === null || end.switched) await endLife(stores, owner, end);
}

async function loadEnd(tx: Transaction, owner: PeriodsOwner, subscription: Subscription): Promise<PeriodEnd> {
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
    const dueAt = at + account.invoiceGraceSeconds * 1000;
    await saveChanges(tx, account.accountId, { waitingPeriodsDue: [{ subscriptionId, dueAt }] });
  }
  const record = await endSubscription(stores, snapshot, { trigger: isCanceled ? 'cancel' : 'expire', at });
  auditSteps(tx, account.accountId, isCanceled ? 'canceled' : 'expired', [subscriptionChange(subscription, record)]);
}
