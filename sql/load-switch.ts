import { downgradeCredit } from '../billing/cancel.ts';
import { currencyOf } from '../billing/currencies.ts';
import { type Decimal, roundHalfAwayFromZero } from '../billing/decimal.ts';
import type { Customer, Plan, Subscription } from '../billing/subscription.ts';
import type { SwitchParties, SwitchRequest, SwitchSubject } from '../billing/switch.ts';
import { findCarriedPeriod } from './carried-periods.ts';
import { listChargedFees, lockChargedFees } from './give-backs.ts';
import { loadCarry } from './load-carry.ts';
import { holdersOf, loadProrated } from './load-give-backs.ts';
import { findPlan, loadPlan } from './plans.ts';
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

/** What a switch leaves: the subscription, its plan, and what its current period carries itself. */
export async function loadSwitchedFrom(
  tx: Transaction,
  accountId: string,
  old: Subscription,
): Promise<Pick<SwitchParties, 'old' | 'oldPlan' | 'carried'>> {
  const oldPlan = await loadPlan(tx, accountId, old);
  const isFirst = old.currentPeriod.index === 0;
  return { old, oldPlan, carried: isFirst ? await findCarriedPeriod(tx, accountId, old.subscriptionId) : null };
}

/** What a downgrade credits, and the tax on that; 0 where nothing that was charged is left to credit. */
export type DowngradeCredit = { amount: Decimal; tax: Decimal; description: string };

/**
 * The credit of a downgrade: the difference `wanted`, with the tax that is charged on the fee, at the rate of the invoice
 * that has charged it, else at that of now (contract 7, switch_plan). Of a fee charged ahead never more than was charged.
 * `lock`: the invoices that have charged it, until the transaction ends.
 */
export async function loadDowngradeCredit(
  tx: Transaction,
  accountId: string,
  { customerId, currency, taxRate: rateOfNow }: Customer,
  { parties, wanted, lock }: { parties: SwitchParties; wanted: Decimal; lock: boolean },
): Promise<DowngradeCredit> {
  const { old, oldPlan, nextPlan, carried } = parties;
  const description = `Switch from ${oldPlan.name} to ${nextPlan.name}`;
  const places = currencyOf(currency).exponent;
  const withTax = (amount: Decimal, rate: Decimal) => {
    return { amount, tax: roundHalfAwayFromZero(amount.times(rate).shiftedBy(-2), places), description };
  };
  if (oldPlan.chargeTiming !== 'in_advance') return withTax(wanted, rateOfNow);
  const period = old.currentPeriod;
  const ids = holdersOf(carried, old.subscriptionId);
  if (lock) await lockChargedFees(tx, accountId, ids, period);
  const charged = await listChargedFees(tx, accountId, ids, period);
  const loaded = carried && (await loadCarry(tx, accountId, carried));
  const prorated = await loadProrated(tx, { accountId, customerId, ids, period }, loaded, places);
  const amount = downgradeCredit(wanted, { charged, prorated, places });
  return withTax(amount, charged.at(-1)?.taxRate ?? rateOfNow);
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
