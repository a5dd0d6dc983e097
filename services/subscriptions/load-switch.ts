import { creditOfDowngrade, type DowngradeCredit, holdersOf } from '../../billing/credits/proration-credits.ts';
import { isChargedAhead } from '../../billing/invoices/charged-ahead.ts';
import { pendingOpeningOf } from '../../billing/invoices/pending-invoice.ts';
import { carriedStretches } from '../../billing/subscriptions/closing-boundaries.ts';
import type { Customer, Subscription } from '../../billing/subscriptions/subscription.ts';
import {
  plannedSwitchOf,
  type SwitchParties,
  type SwitchSubject,
  type SwitchTerms,
} from '../../billing/subscriptions/switch.ts';
import type { Decimal } from '../../core/decimal.ts';
import { findPlan, loadPlan, loadPlans } from '../../sql/postgres/catalog/plans.ts';
import { listPendingItems } from '../../sql/postgres/invoices/pending-items.ts';
import { listChargedFees, lockChargedFees } from '../../sql/postgres/invoices/refundable-charges.ts';
import { lockSwitchCharges } from '../../sql/postgres/invoices/switch-charges.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { findCarriedPeriod } from '../../sql/postgres/subscriptions/carried-periods.ts';
import { listLiveSubscriptions } from '../../sql/postgres/subscriptions/subscriptions.ts';
import { loadPendingInvoices } from '../snapshot/load-pending-invoices.ts';

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
): Promise<Pick<SwitchParties, 'old' | 'oldPlan' | 'carried' | 'pendingOpening'>> {
  const oldPlan = await loadPlan(tx, accountId, old);
  const isFirst = old.currentPeriod.index === 0;
  const carried = isFirst ? await findCarriedPeriod(tx, accountId, old.subscriptionId) : null;
  const pending = await loadPendingInvoices(tx, accountId, old.customerId, [old]);
  return {
    old,
    oldPlan,
    carried,
    pendingOpening: pendingOpeningOf(old, holdersOf(carried, old.subscriptionId), pending),
  };
}

/** The credit of a downgrade, in the transaction that gives it: the invoices that have charged what it gives back of are locked. */
export async function lockDowngradeCredit(
  tx: Transaction,
  accountId: string,
  customer: Customer,
  parties: SwitchParties,
  wanted: Decimal,
): Promise<DowngradeCredit> {
  const { oldPlan, carried, pendingOpening } = parties;
  const { customerId } = customer;
  const isAhead = isChargedAhead({ plan: oldPlan, pendingOpening });
  const charged = isAhead
    ? await lockFeesAhead(tx, accountId, customerId, parties)
    : await lockSwitchCharges(tx, accountId, carried?.stretches.slice(1) ?? []);
  const pending = (await listPendingItems(tx, accountId, customerId, { lock: false })).lines;
  const before = carried?.stretches ?? [];
  const stretches = carriedStretches(before, { planOf: await loadPlans(tx, accountId, before) });
  return creditOfDowngrade(customer, parties, wanted, { charged, pending, stretches });
}

async function lockFeesAhead(tx: Transaction, accountId: string, customerId: string, parties: SwitchParties) {
  const { old, carried } = parties;
  const paid = { holders: holdersOf(carried, old.subscriptionId), period: old.currentPeriod };
  await lockChargedFees(tx, accountId, customerId, paid);
  const [charged = []] = await listChargedFees(tx, accountId, customerId, [paid]);
  return charged;
}

/** The switch that is planned, by the records of now; null for none, and where the customer has come to hold the plan. */
export async function findPlannedSwitch(
  tx: Transaction,
  accountId: string,
  snapshot: { subscription: Subscription; customer: Customer },
): Promise<SwitchTerms | null> {
  const { plannedSwitch } = snapshot.subscription;
  if (plannedSwitch === null) return null;
  const subject = await loadSwitchSubject(tx, accountId, snapshot, plannedSwitch.newPlanId);
  return plannedSwitchOf(snapshot.subscription, subject);
}
