import type { Instant } from '../../billing/instants.ts';
import { openingPart } from '../../billing/opening-invoice.ts';
import type { Plan } from '../../billing/subscription.ts';
import type { SwitchRequest } from '../../billing/switch.ts';
import { loadOpening } from '../../sql/load-invoice-inputs.ts';
import { loadSwitchSubject } from '../../sql/load-switch.ts';
import type { Transaction } from '../../sql/postgres.ts';
import type { Held } from './move-subscription.ts';
import { replaceSubscription } from './replace-subscription.ts';
import type { Begun } from './save-bill.ts';

/** A switch to a plan in its version of now, and how it is billed. */
export type SwitchTerms = { nextPlan: Plan } & Pick<SwitchRequest, 'invoicingBehavior' | 'usageBehavior'>;

/** The switch that is planned, by the books of now; null where the customer has come to hold the plan meanwhile. */
export async function findPlannedSwitch(tx: Transaction, held: Held): Promise<SwitchTerms | null> {
  const { account, subscription } = held;
  const { pendingChange } = subscription;
  if (pendingChange === null) return null;
  const { newPlan, heldPlanIds } = await loadSwitchSubject(tx, account.accountId, held, pendingChange.new_plan_id);
  if (!newPlan || heldPlanIds.includes(newPlan.planId)) return null;
  const { invoicing_behavior: invoicingBehavior, usage_behavior: usageBehavior } = pendingChange;
  return { nextPlan: newPlan, invoicingBehavior, usageBehavior };
}

/** What the switch begins at the end of a period, for the invoice of that end. */
export async function beginSuccessor(tx: Transaction, held: Held, terms: SwitchTerms, at: Instant): Promise<Begun> {
  const { accountId } = held.account;
  const { next } = await replaceSubscription(tx, held, { ...terms, at });
  const part = openingPart(await loadOpening(tx, accountId, next), { currency: held.customer.currency });
  return { subscription: next, charges: part };
}
