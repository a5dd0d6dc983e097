import { type Inheritance, inheritanceOf } from '../../billing/subscriptions/inheritance.ts';
import type { Plan } from '../../billing/subscriptions/subscription.ts';
import { replacedBy, type SwitchParties, type SwitchRequest, successorOf } from '../../billing/subscriptions/switch.ts';
import { conflict } from '../../core/domain-error.ts';
import { newId } from '../../core/ids.ts';
import type { Instant } from '../../core/instants.ts';
import { type Transaction, violates } from '../../sql/postgres/postgres.ts';
import { moveDiscounts } from '../../sql/postgres/subscriptions/discounts.ts';
import { insertPeriod } from '../../sql/postgres/subscriptions/periods.ts';
import { listOwnPrepaidUnits } from '../../sql/postgres/subscriptions/prepaid-units.ts';
import { insertSubscription, updateSubscription } from '../../sql/postgres/subscriptions/subscriptions.ts';
import { updatePeriodSwitched } from '../../sql/postgres/subscriptions/switched-periods.ts';
import { copyPauses, moveAddons, moveUnits } from '../../sql/postgres/subscriptions/switches.ts';
import { storeAgreed } from '../catalog/agree-version.ts';
import { loadSwitchedFrom } from './load-switch.ts';
import { planNext, type SubscriptionSnapshot } from './move-subscription.ts';
import { movePhases } from './phases/phases.ts';

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
  { nextPlan: wanted, at, usageBehavior }: Replacement,
): Promise<SwitchParties & { inheritance: Inheritance }> {
  const { account, customer, subscription: old } = snapshot;
  const { accountId } = account;
  const nextPlan = await storeAgreed(tx, accountId, wanted, at);
  const { timeZone } = customer;
  const successor = successorOf(old, nextPlan, { subscriptionId: newId('sub'), at, timeZone });
  const ended = replacedBy(old, successor.subscriptionId, at);
  await updateSubscription(tx, accountId, ended);
  await insertSubscription(tx, accountId, successor).catch((error) => {
    if (!violates(error, 'subscriptions_one_live')) throw error;
    throw conflict(`The customer already has a live subscription to plan ${nextPlan.planId}.`);
  });
  await insertPeriod(tx, accountId, successor.subscriptionId, successor.currentPeriod);
  const next = old.phases.length > 0 ? await movePhases(tx, accountId, old, successor, timeZone) : successor;
  const parties = {
    ...(await loadSwitchedFrom(tx, snapshot.account.accountId, snapshot.subscription)),
    next,
    nextPlan,
  };

  const choices = await listOwnPrepaidUnits(tx, accountId, old.subscriptionId);
  const inheritance = inheritanceOf(parties, choices, { at, usageBehavior });
  const { periodIndex, billingIndex, units, switched } = inheritance;
  const move = { from: old.subscriptionId, to: next.subscriptionId, periodIndex };
  await moveAddons(tx, accountId, { ...move, periodIndex: billingIndex });
  await moveUnits(tx, accountId, move, units);
  if (customer.hasDiscounts) await moveDiscounts(tx, accountId, move);
  if (switched) {
    await copyPauses(tx, accountId, move);
    await updatePeriodSwitched(tx, accountId, { subscriptionId: next.subscriptionId, switched });
  }
  await planNext(tx, snapshot, [ended.subscriptionId, next.subscriptionId]);
  return { ...parties, inheritance };
}
