import type { Component } from '../../billing/pricing/rating.ts';
import { prepaidUnitsIn } from '../../billing/subscriptions/prepaid-changes.ts';
import type { Plan } from '../../billing/subscriptions/subscription.ts';
import {
  carryOn,
  movedUnits,
  replacedBy,
  type SwitchParties,
  type SwitchRequest,
  successionOf,
  successorOf,
} from '../../billing/subscriptions/switch.ts';
import { conflict } from '../../core/domain-error.ts';
import { newId } from '../../core/ids.ts';
import type { Instant } from '../../core/instants.ts';
import { type Transaction, violates } from '../../sql/postgres/postgres.ts';
import { updatePeriodCarried } from '../../sql/postgres/subscriptions/carried-periods.ts';
import { insertPeriod } from '../../sql/postgres/subscriptions/periods.ts';
import { listOwnPrepaidUnits } from '../../sql/postgres/subscriptions/prepaid-units.ts';
import { insertSubscription, updateSubscription } from '../../sql/postgres/subscriptions/subscriptions.ts';
import { copyPauses, moveAddons, moveUnits } from '../../sql/postgres/subscriptions/switches.ts';
import { loadSwitchedFrom } from './load-switch.ts';
import { planNext, type SubscriptionSnapshot } from './move-subscription.ts';

/** A switch that happens at `at`: to which plan, and what becomes of the usage so far. */
export type Replacement = { nextPlan: Plan; at: Instant } & Pick<SwitchRequest, 'usageBehavior'>;

/**
 * Puts a new subscription in the place of one, in the caller's transaction: what is attached, prepaid, paused and still to be
 * billed goes along. What the old one bills itself must be charged before.
 * @throws DomainError `conflict` where the customer has come to hold the plan.
 */
export async function replaceSubscription(
  tx: Transaction,
  snapshot: SubscriptionSnapshot,
  { nextPlan, at, usageBehavior }: Replacement,
): Promise<SwitchParties> {
  const { account, customer, subscription: old } = snapshot;
  const { accountId } = account;
  const { timeZone } = customer;
  const next = successorOf(old, nextPlan, { subscriptionId: newId('sub'), at, timeZone });
  const succession = successionOf(old, nextPlan, at);
  const parties = {
    ...(await loadSwitchedFrom(tx, snapshot.account.accountId, snapshot.subscription)),
    next,
    nextPlan,
  };

  const ended = replacedBy(old, next.subscriptionId, at);
  await updateSubscription(tx, accountId, ended);
  await insertSubscription(tx, accountId, next).catch((error) => {
    if (!violates(error, 'subscriptions_one_live')) throw error;
    throw conflict(`The customer already has a live subscription to plan ${nextPlan.planId}.`);
  });
  await insertPeriod(tx, accountId, next.subscriptionId, next.currentPeriod);

  // The old period that becomes the new subscription's first one: the current one, or else the one after it.
  const periodIndex = old.currentPeriod.index + (succession === 'carries_on' ? 0 : 1);
  const move = { from: old.subscriptionId, to: next.subscriptionId, periodIndex };
  await moveAddons(tx, accountId, move);
  const choices = await listOwnPrepaidUnits(tx, accountId, old.subscriptionId);
  const unitsIn = (index: number) => (component: Component) => prepaidUnitsIn(component, choices, index);
  const isOwn = (id: string) => choices.some(({ metricId }) => metricId === id);
  await moveUnits(tx, accountId, move, movedUnits(parties.oldPlan, nextPlan, { unitsOf: unitsIn(periodIndex), isOwn }));
  if (succession !== 'at_period_end') {
    await copyPauses(tx, accountId, move);
    const unitsOf = unitsIn(old.currentPeriod.index);
    const terms = { at, behavior: usageBehavior, unitsOf };
    await updatePeriodCarried(tx, accountId, next.subscriptionId, carryOn(parties, terms));
  }
  await planNext(tx, snapshot, [ended.subscriptionId, next.subscriptionId]);
  return parties;
}
