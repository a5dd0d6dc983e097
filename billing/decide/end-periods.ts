import type { Instant } from '../../core/instants.ts';
import type { Account } from '../accounts/account.ts';
import type { ChangeSet } from '../change-set.ts';
import { invoicedAt } from '../invoices/pending-invoice.ts';
import type { Period } from '../periods/periods.ts';
import { beginsBilling } from '../periods/usage-months.ts';
import type { AddonCharge } from '../pricing/charges.ts';
import { phaseBegunBy, phasesAfter } from '../subscriptions/phases.ts';
import { nextSubscriptionStatus } from '../subscriptions/states.ts';
import { heldTerms, type Plan, type PlanVersion, type Subscription } from '../subscriptions/subscription.ts';
import type { SwitchTerms } from '../subscriptions/switch.ts';
import { decidePhases } from './phases.ts';

/** The end of a subscription's current period. `next` null: the subscription ends with it, or is switched. */
export type PeriodEnd = {
  subscription: Subscription;
  next: Period | null;
  isCanceled: boolean;
  switched: SwitchTerms | null;
};

/** What decides the ends of periods of one customer. `addons`: what pending invoices charge for add-ons, by subscription. */
export type PeriodEndsInput = {
  account: Pick<Account, 'invoiceGraceSeconds'>;
  timeZone: string;
  addons: ReadonlyMap<string, readonly AddonCharge[]>;
  /** The subscriptions whose trial ends and is free. */
  free: ReadonlySet<string>;
  /** The versions of the phases that begin. */
  planOf(version: PlanVersion): Plan;
  now: Instant;
};

/** A subscription before and after its next billing period has begun, or its trial has ended. */
export type Renewed = { old: Subscription; subscription: Subscription };

/** What the ends change, the subscriptions whose next period has begun, and those of which that is published. */
export type PeriodEndsDecision = { changes: ChangeSet; begun: Subscription[]; renewed: Renewed[] };

/** Returns the plan version of the phase that begins with a subscription's next period, or null if none does. */
export function versionBegun({ subscription: { planId, phases }, next }: PeriodEnd): PlanVersion | null {
  return phases.length === 0 || next?.version === undefined ? null : { planId, version: next.version };
}

/**
 * Decides the ends of current periods. The next period of a subscription begins at once, and the invoice of the ended one is pending
 * until the account's grace is over, or until the resume if the subscription is paused (spec/invoices#grace).
 *
 * A paused subscription stays paused. Neither its next period nor a usage month within a billing period is published, but the end of a
 * trial is (spec/subscriptions#pause).
 */
export function decidePeriodEnds(ends: readonly PeriodEnd[], input: PeriodEndsInput): PeriodEndsDecision {
  const begun: Subscription[] = [];
  const renewed: Renewed[] = [];
  const changes: ChangeSet[] = [];
  for (const end of ends) {
    const { subscription: old, next } = end;
    if (next === null) continue;
    const entered = beginPeriod(end, next, input);
    begun.push(entered.subscription);
    changes.push(entered.changes);
    const { status, currentPeriod } = entered.subscription;
    if (status !== 'paused' && beginsBilling(currentPeriod)) {
      const one = renew(entered.subscription);
      renewed.push({ old, subscription: one.subscription });
      changes.push(one.changes);
    } else if (old.currentPeriod.trial) renewed.push({ old, subscription: entered.subscription });
  }
  return {
    begun,
    renewed,
    changes: {
      periodsEnded: ends.map((end) => endedPeriod(end, input)),
      addonsBilled: [...input.addons.values()].flat(),
      periodsAdded: begun.map(({ subscriptionId, currentPeriod }) => ({ ...currentPeriod, subscriptionId })),
      versionsBegun: changes.flatMap(({ versionsBegun = [] }) => versionsBegun),
      phasesReplaced: changes.flatMap(({ phasesReplaced = [] }) => phasesReplaced),
      subscriptionsChanged: changes.flatMap(({ subscriptionsChanged = [] }) => subscriptionsChanged),
    },
  };
}

function endedPeriod({ subscription, next }: PeriodEnd, { account, free, addons, now }: PeriodEndsInput) {
  const { subscriptionId, status, currentPeriod } = subscription;
  const dueAt = invoicedAt(currentPeriod, { account, isFree: free.has(subscriptionId) });
  const isPaused = status === 'paused';
  return {
    subscriptionId,
    periodIndex: currentPeriod.index,
    closedAt: now,
    invoiceDueAt: isPaused && next !== null ? null : dueAt,
    addons: isPaused ? null : (addons.get(subscriptionId) ?? []),
  };
}

/** Decides the next period. A phase of the same plan may begin with it, or the switch to a phase may come within reach. */
function beginPeriod(
  end: PeriodEnd,
  { version, ...currentPeriod }: Period,
  { timeZone, planOf }: PeriodEndsInput,
): { subscription: Subscription; changes: ChangeSet } {
  const { subscription: old } = end;
  const next = { ...old, currentPeriod };
  if (old.phases.length === 0) return { subscription: next, changes: {} };
  const begins = versionBegun(end);
  if (begins === null || version === undefined) return decidePhases(next, timeZone);
  const { subscriptionId, version: versionBefore } = old;
  const phase = phaseBegunBy(old, currentPeriod.startDate);
  const phases = phase ? phasesAfter(old.phases, phase) : old.phases;
  const { subscription, changes } = decidePhases({ ...next, ...heldTerms(planOf(begins)), phases }, timeZone);
  const versionsBegun = [{ subscriptionId, version, versionBefore, periodIndex: currentPeriod.index }];
  return { subscription, changes: { ...changes, versionsBegun } };
}

/** Decides that the next billing period has begun. A switch that could not be made at the end of the period before is dropped. */
function renew(before: Subscription): { subscription: Subscription; changes: ChangeSet } {
  const { plannedSwitch, currentPeriod } = before;
  const status = nextSubscriptionStatus(before.status, 'renew');
  const isDropped = plannedSwitch !== null && plannedSwitch.at <= currentPeriod.startsAt;
  const subscription: Subscription = { ...before, status, plannedSwitch: isDropped ? null : plannedSwitch };
  return { subscription, changes: { subscriptionsChanged: isDropped ? [subscription] : [] } };
}
