import type { CollectedFee } from '../../billing/credits/charged-fee.ts';
import { creditOfDowngrade, type DowngradeCredit } from '../../billing/credits/proration-credits.ts';
import { isOfSwitches } from '../../billing/credits/switch-charges.ts';
import { feeShareLeft } from '../../billing/discounts/discounts.ts';
import { isChargedAhead, isFeeOf } from '../../billing/invoices/charged-ahead.ts';
import type { NewInvoiceLine } from '../../billing/invoices/invoice.ts';
import { pendingOpeningOf } from '../../billing/invoices/pending-invoice.ts';
import type { PendingItems } from '../../billing/invoices/pending-items.ts';
import { holdersOf, inSegments, plansInForce, switchesIn } from '../../billing/periods/segments.ts';
import { switchedIn } from '../../billing/periods/usage-windows.ts';
import type { Customer, Subscription } from '../../billing/subscriptions/subscription.ts';
import {
  plannedSwitchOf,
  type SwitchParties,
  type SwitchSubject,
  type SwitchTerms,
} from '../../billing/subscriptions/switch.ts';
import type { Decimal } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import { findPlanIn, loadPlan, loadPlans } from '../../sql/postgres/catalog/plans.ts';
import { loadPayer } from '../../sql/postgres/customers/customers.ts';
import { listPendingItems } from '../../sql/postgres/invoices/pending-items.ts';
import { lockChargedFees } from '../../sql/postgres/invoices/refundable-charges.ts';
import { lockSwitchCharges } from '../../sql/postgres/invoices/switch-charges.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { listApplicableDiscounts } from '../../sql/postgres/subscriptions/discounts.ts';
import { listLiveSubscriptions } from '../../sql/postgres/subscriptions/subscriptions.ts';
import { findSwitchedPeriod } from '../../sql/postgres/subscriptions/switched-periods.ts';
import { agreedPlan } from '../catalog/agree-version.ts';
import { overridesFromText } from '../catalog/overrides-text.ts';
import { lockCharged, lockCreditsOfCharged } from '../invoices/lock-charged.ts';
import { lockWaiting } from '../invoices/lock-waiting.ts';
import { loadPendingInvoices } from '../state/load-pending-invoices.ts';

/** What a switch to `newPlanId` is judged by: the plan as it was agreed on, else in its latest version. */
export async function loadSwitchSubject(
  tx: Transaction,
  accountId: string,
  { subscription, customer }: { subscription: Subscription; customer: Customer },
  { newPlanId, overrides, agreed }: { newPlanId: string | null; overrides?: string; agreed?: { version: number } },
): Promise<SwitchSubject> {
  const { currency } = customer;
  const wanted = newPlanId === null ? undefined : { planId: newPlanId, version: agreed?.version ?? null, currency };
  const live = await listLiveSubscriptions(tx, accountId, [customer.customerId]);
  const others = live.filter(({ subscriptionId }) => subscriptionId !== subscription.subscriptionId);
  const newPlan = wanted && (await findPlanIn(tx, accountId, wanted));
  return {
    subscription,
    currency,
    newPlan:
      newPlan && overrides !== undefined
        ? await agreedPlan(tx, accountId, newPlan, overridesFromText(overrides))
        : newPlan,
    heldPlanIds: others.map(({ planId }) => planId),
  };
}

/** What a switch leaves: the subscription, its plan, and what earlier switches have left to its current period. */
export async function loadSwitchedFrom(
  tx: Transaction,
  accountId: string,
  old: Subscription,
): Promise<Pick<SwitchParties, 'old' | 'oldPlan' | 'switched' | 'pendingOpening'>> {
  const oldPlan = await loadPlan(tx, accountId, old);
  const { currentPeriod } = old;
  const isFirst = currentPeriod.billing.index === 0;
  const first = isFirst ? await findSwitchedPeriod(tx, accountId, old.subscriptionId) : null;
  const switched = switchedIn(first, currentPeriod);
  const pending = await loadPendingInvoices(tx, accountId, [old.customerId], [old]);
  const holders = holdersOf(plansInForce(old, currentPeriod, switched));
  return { old, oldPlan, switched, pendingOpening: pendingOpeningOf(old, holders, pending) };
}

/** The credit of a downgrade, with what waits by then, in the transaction that gives it: the invoices that have charged what it gives back of are locked. */
export async function lockDowngradeCredit(
  tx: Transaction,
  accountId: string,
  customer: Customer,
  parties: SwitchParties,
  { wanted, now }: { wanted: Decimal; now: Instant },
): Promise<DowngradeCredit & { pending: PendingItems }> {
  const { old, oldPlan, switched, pendingOpening } = parties;
  const { customerId } = customer;
  const planOf = await loadPlans(tx, accountId, plansInForce(old, old.currentPeriod, switched));
  const period = inSegments(old, old.currentPeriod, planOf, { switched });
  const isAhead = isChargedAhead({ plan: oldPlan, pendingOpening });
  const switches = switchesIn(period.segments);
  const paid = { holders: holdersOf(period.segments), period: period.billing };
  const isOf = (line: NewInvoiceLine) => (isAhead ? isFeeOf(line, paid) : isOfSwitches(line, switches));
  const pending = await listPendingItems(tx, accountId, customerId, { lock: false });
  const charged = await lockCharged<CollectedFee[]>(tx, { accountId, customer, now, isOf }, () =>
    isAhead ? lockChargedFees(tx, accountId, customerId, paid) : lockSwitchCharges(tx, accountId, switches),
  );
  await lockCreditsOfCharged(tx, accountId, customer, charged);
  await lockWaiting(tx, accountId, customer, pending, (line) => isFeeOf(line, paid));
  const discounts = customer.hasDiscounts ? await listApplicableDiscounts(tx, accountId, [customerId]) : [];
  const feeShare = feeShareLeft(discounts, { subscriptionId: old.subscriptionId, planId: oldPlan.planId });
  const payer = await loadPayer(tx, accountId, customer);
  const credit = creditOfDowngrade(payer, parties, wanted, { charged, pending: pending.lines, period, feeShare });
  return { ...credit, pending };
}

/** The switch that is planned, by the records of now; null for none, and where the customer has come to hold the plan. */
export async function findPlannedSwitch(
  tx: Transaction,
  accountId: string,
  snapshot: { subscription: Subscription; customer: Customer },
): Promise<SwitchTerms | null> {
  const { plannedSwitch } = snapshot.subscription;
  if (plannedSwitch === null) return null;
  const subject = await loadSwitchSubject(tx, accountId, snapshot, plannedSwitch);
  return plannedSwitchOf(snapshot.subscription, subject);
}
