import { currencyOf } from '../billing/currencies.ts';
import { type Decimal, roundHalfAwayFromZero } from '../billing/decimal.ts';
import type { Customer, Plan, Subscription } from '../billing/subscription.ts';
import type { SwitchParties, SwitchRequest, SwitchSubject } from '../billing/switch.ts';
import { listChargedFees } from './give-backs.ts';
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

/**
 * The credit of a downgrade: the difference, with the tax that is charged on the fee, at the rate of the invoice that has
 * charged it, else at that of now (contract 7, switch_plan).
 */
export async function loadDowngradeCredit(
  tx: Transaction,
  accountId: string,
  { currency, taxRate: rateOfNow }: Customer,
  { old, oldPlan, nextPlan, carried }: SwitchParties,
  amount: Decimal,
): Promise<{ amount: Decimal; tax: Decimal; description: string }> {
  const ids = [...(carried?.stretches ?? []).map(({ subscriptionId }) => subscriptionId), old.subscriptionId];
  const charged =
    oldPlan.chargeTiming === 'in_advance' ? await listChargedFees(tx, accountId, ids, old.currentPeriod) : [];
  const taxRate = charged.at(-1)?.taxRate ?? rateOfNow;
  const tax = roundHalfAwayFromZero(amount.times(taxRate).shiftedBy(-2), currencyOf(currency).exponent);
  return { amount, tax, description: `Switch from ${oldPlan.name} to ${nextPlan.name}` };
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
