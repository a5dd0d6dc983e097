import type { Customer, Subscription } from '../billing/subscription.ts';
import type { SwitchSubject } from '../billing/switch.ts';
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
