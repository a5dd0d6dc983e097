import { prepaidLine, prorationLine } from '../../billing/invoices/invoice-lines.ts';
import {
  newUnits,
  type Proration,
  prorationOf,
  type SwitchParties,
  type SwitchTerms,
  successionOf,
  switchCharge,
  switchEnding,
} from '../../billing/subscriptions/switch.ts';
import { currencyOf } from '../../core/currencies.ts';
import { roundHalfAwayFromZero } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import { insertPendingItems } from '../../sql/postgres/invoices/pending-items.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { updatePeriodClosed } from '../../sql/postgres/subscriptions/periods.ts';
import type { SwitchWire } from '../../wire/switches.ts';
import { savePartsCredited } from '../credits/save-parts-credited.ts';
import { saveProrationCredits } from '../credits/save-proration-credits.ts';
import { issueInvoice } from '../invoices/issue-invoices.ts';
import { updateLateUsage } from '../invoices/late-usage.ts';
import type { BillsToCutoff } from '../invoices/load-bills.ts';
import { loadOpening } from '../invoices/load-invoice-inputs.ts';
import { chargeBoundary, issueBills } from '../invoices/save-bill.ts';
import type { Stores } from '../usage/answered-usage.ts';
import { beginSuccessor } from './begin-successor.ts';
import { lockDowngradeCredit } from './load-switch.ts';
import { publish, type SubscriptionSnapshot } from './move-subscription.ts';
import { replaceSubscription } from './replace.ts';

/** When it happens, when that is done in the customer's time, and the call that asked for it. */
type Performed = SwitchTerms & { at: Instant; now: Instant; operationId?: string };

/** What was read of the period before; `bills` where the switch closes it. */
type LoadedSwitch = { versionId: string; periodIndex: number; bills: BillsToCutoff | null };

/** Switches within a period: the old subscription ends and the new one begins in this transaction. */
export async function saveSwitch(
  stores: Stores,
  snapshot: SubscriptionSnapshot,
  loaded: LoadedSwitch | null,
  performed: Performed,
): Promise<SwitchWire> {
  const { tx } = stores;
  const { account, subscription: old } = snapshot;
  const { nextPlan, at, now } = performed;
  const closes = successionOf(old, nextPlan, at) === 'closes';
  const isSame = loaded?.versionId === nextPlan.versionId && loaded.periodIndex === old.currentPeriod.index;
  if (!loaded || !isSame || closes !== (loaded.bills !== null)) {
    throw new Error(`${old.subscriptionId} was changed meanwhile`);
  }
  await updatePeriodClosed(tx, account.accountId, old.subscriptionId, old.currentPeriod.index, now);
  if (loaded.bills) return closePeriodFor(stores, snapshot, loaded.bills, performed);

  const parties = await replaceSubscription(tx, snapshot, performed);
  await chargeNewUnits(tx, snapshot, parties);
  const { proration, invoiceId } = await saveProration(tx, snapshot, parties, performed);
  const record = await publish(stores, { ...snapshot, subscription: parties.next }, 'subscription.plan_changed');
  return { ...record, proration: prorationToWire(proration), invoice_id: invoiceId };
}

/** The old period ends here: its lines are on the new subscription's opening invoice, else on a closing one. */
async function closePeriodFor(
  stores: Stores,
  snapshot: SubscriptionSnapshot,
  { boundaries, late, usageCutoff }: BillsToCutoff,
  performed: Performed,
): Promise<SwitchWire> {
  const { tx } = stores;
  const { account, customer, subscription } = snapshot;
  const { at, now, nextPlan, usageBehavior } = performed;
  const [boundary] = boundaries;
  if (!boundary || boundaries.length > 1) throw new Error('a switch ends one period');
  const ending = switchEnding(at, subscription.currentPeriod);
  const moves = usageBehavior === 'transfer_to_new_subscription';
  const movedMetrics = moves ? nextPlan.components.map(({ metricId }) => metricId) : [];
  const lateCharges = await updateLateUsage(tx, account.accountId, late, usageCutoff);
  await saveProrationCredits(tx, snapshot, { boundary, ending, now });
  const billed = { account, customer, now, usageCutoff };
  const closed = { ...boundary, ending, next: null, movedMetrics };
  const charges = await chargeBoundary(tx, billed, closed);
  const begun = await beginSuccessor(tx, snapshot, performed, at);
  const options = { kind: 'closing', making: 'where_due', late: lateCharges, begun } as const;
  const [invoice] = await issueBills(tx, billed, [{ ...options, boundary: closed, charges }]);
  const record = await publish(stores, { ...snapshot, subscription: begun.subscription }, 'subscription.plan_changed');
  return { ...record, proration: null, invoice_id: invoice?.invoiceId ?? null };
}

/** Units that only the new plan prepays are paid for from the switch on, on the customer's next invoice. */
async function chargeNewUnits(
  tx: Transaction,
  { account, customer }: SubscriptionSnapshot,
  { next, nextPlan }: SwitchParties,
) {
  const { prepaidUnits = [], metrics } = await loadOpening(tx, account.accountId, next);
  const places = currencyOf(customer.currency).exponent;
  const nameOf = (id: string) => metrics.find(({ metricId }) => metricId === id)?.metricName ?? '';
  const lines = newUnits({ next, nextPlan }, prepaidUnits, nameOf).map((charge) => {
    const line = prepaidLine(charge);
    return { ...line, amount: roundHalfAwayFromZero(line.amount, places) };
  });
  const owner = { customerId: customer.customerId, subscriptionId: next.subscriptionId };
  await insertPendingItems(tx, account.accountId, owner, lines, []);
}

/** Charges or credits the difference for the rest of the period (spec/subscriptions#switch). */
async function saveProration(
  tx: Transaction,
  snapshot: SubscriptionSnapshot,
  parties: SwitchParties,
  performed: Performed,
): Promise<{ proration: Proration; invoiceId: string | null }> {
  const { account, customer } = snapshot;
  const { at, now, operationId, invoicingBehavior } = performed;
  const { currency, customerId } = customer;
  const places = currencyOf(currency).exponent;
  const charge = switchCharge(parties, at);
  const proration = prorationOf(charge, places);
  if (proration.direction === 'credit') await creditDifference(tx, snapshot, parties, proration, now);
  if (proration.direction !== 'charge') return { proration, invoiceId: null };
  const line = { ...prorationLine(charge), amount: proration.amount };
  const { subscriptionId, currentPeriod: period } = parties.next;
  if (invoicingBehavior === 'invoice_now') {
    // "A new invoice with only the proration" (spec/subscriptions#switch).
    const charged = { kind: 'proration', pending: [line] } as const;
    const one = { subscriptionId, period, charged, operationId };
    const issued = await issueInvoice(tx, { account, customer, now }, one);
    return { proration, invoiceId: issued.invoiceId };
  }
  await insertPendingItems(tx, account.accountId, { customerId, subscriptionId }, [line], []);
  return { proration, invoiceId: null };
}

/** "A credit of reason overpayment_credit, applied to the next invoice" (spec/subscriptions#switch). */
async function creditDifference(
  tx: Transaction,
  { account: { accountId }, customer }: SubscriptionSnapshot,
  parties: SwitchParties,
  { amount: wanted }: Proration,
  at: Instant,
): Promise<void> {
  const { parts, description } = await lockDowngradeCredit(tx, accountId, customer, parties, wanted);
  await savePartsCredited(tx, { accountId, customer, at }, parts, description);
}

function prorationToWire({ amount, direction, daysRemaining, daysInPeriod }: Proration): SwitchWire['proration'] {
  return { amount, direction, days_remaining: daysRemaining, days_in_period: daysInPeriod };
}
