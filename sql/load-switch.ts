import type { Customer, Plan, Subscription } from '../billing/subscription.ts';
import type { SwitchRequest, SwitchSubject } from '../billing/switch.ts';
import { findPlan } from './plans.ts';
import type { Transaction } from './postgres.ts';
import { listLiveSubscriptions } from './subscriptions.ts';

/** What a switch to `newPlanId` is judged by; the plan in its latest version. */
export async function loadSwitchSubject(
  tx: Transaction,
  accountId: string,
  { subscription, customer }: { subscription: Subscription; customer: Customer },
  newPlanId: string | null,
): Promise<SwitchSubject> {
  const live = await listLiveSubscriptions(tx, accountId, [customer.customerId]);
  const others = live.filter(({ subscriptionId }) => subscriptionId !== subscription.subscriptionId);
  return {
    subscription,
    currency: customer.currency,
    newPlan: newPlanId === null ? undefined : await findPlan(tx, accountId, newPlanId),
    heldPlanIds: others.map(({ planId }) => planId),
  };
}

/** A switch to a plan in its version of now, and how it is billed. */
export type SwitchTerms = { nextPlan: Plan } & Pick<SwitchRequest, 'invoicingBehavior' | 'usageBehavior'>;

/** The switch that is planned, by the books of now; null for none, and where the customer has come to hold the plan. */
export async function findPlannedSwitch(
  tx: Transaction,
  accountId: string,
  held: { subscription: Subscription; customer: Customer },
): Promise<SwitchTerms | null> {
  const { pendingChange } = held.subscription;
  if (pendingChange === null) return null;
  const { newPlan, heldPlanIds } = await loadSwitchSubject(tx, accountId, held, pendingChange.new_plan_id);
  if (!newPlan || heldPlanIds.includes(newPlan.planId)) return null;
  const { invoicing_behavior: invoicingBehavior, usage_behavior: usageBehavior } = pendingChange;
  return { nextPlan: newPlan, invoicingBehavior, usageBehavior };
}
