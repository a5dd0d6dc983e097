import { decideInheritance, decideReplacement } from '../../billing/decide/begin-subscription.ts';
import { type Inheritance, inheritanceOf } from '../../billing/subscriptions/inheritance.ts';
import type { Plan } from '../../billing/subscriptions/subscription.ts';
import { type SwitchParties, type SwitchRequest, successorOf } from '../../billing/subscriptions/switch.ts';
import { newId } from '../../core/ids.ts';
import type { Instant } from '../../core/instants.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { listOwnPrepaidUnits } from '../../sql/postgres/subscriptions/prepaid-units.ts';
import { saveChanges } from '../billing/save-changes.ts';
import { storeAgreed } from '../catalog/agree-version.ts';
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
  { nextPlan: wanted, at, usageBehavior }: Replacement,
): Promise<SwitchParties & { inheritance: Inheritance }> {
  const { account, customer, subscription: old } = snapshot;
  const { accountId } = account;
  const nextPlan = await storeAgreed(tx, accountId, wanted, at);
  const { timeZone } = customer;
  const successor = successorOf(old, nextPlan, { subscriptionId: newId('sub'), at, timeZone });
  const { subscription: next, changes } = decideReplacement(old, successor, at, timeZone);
  await saveChanges(tx, accountId, changes);
  const parties = {
    ...(await loadSwitchedFrom(tx, snapshot.account.accountId, snapshot.subscription)),
    next,
    nextPlan,
  };

  const choices = await listOwnPrepaidUnits(tx, accountId, old.subscriptionId);
  const inheritance = inheritanceOf(parties, choices, { at, usageBehavior });
  const move = { from: old.subscriptionId, to: next.subscriptionId, hasDiscounts: customer.hasDiscounts };
  await saveChanges(tx, accountId, decideInheritance(move, inheritance));
  await planNext(tx, snapshot, [old.subscriptionId, next.subscriptionId]);
  return { ...parties, inheritance };
}
