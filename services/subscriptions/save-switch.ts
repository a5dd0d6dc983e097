import { payerIdOf } from '../../billing/accounts/payers.ts';
import { prepaidLine, prorationLine } from '../../billing/invoices/invoice-lines.ts';
import { withCredited } from '../../billing/periods/usage-windows.ts';
import { closedBySwitch, type SwitchCharges, switchCharges } from '../../billing/subscriptions/inheritance.ts';
import {
  type Proration,
  type SwitchParties,
  type SwitchTerms,
  successionOf,
  switchEnding,
} from '../../billing/subscriptions/switch.ts';
import { currencyOf } from '../../core/currencies.ts';
import { roundHalfAwayFromZero, sum, ZERO } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import { findMetrics } from '../../sql/postgres/catalog/metrics.ts';
import { lockCredits } from '../../sql/postgres/credits/credits.ts';
import { insertPendingItems, updatePendingItemsCredited } from '../../sql/postgres/invoices/pending-items.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { updateNextFeeCredited } from '../../sql/postgres/subscriptions/pending-invoices.ts';
import { updatePeriodClosed } from '../../sql/postgres/subscriptions/periods.ts';
import { updatePeriodSwitched } from '../../sql/postgres/subscriptions/switched-periods.ts';
import type { SwitchWire } from '../../wire/subscriptions/switches.ts';
import { savePartsCredited } from '../credits/save-parts-credited.ts';
import { saveProrationCredits } from '../credits/save-proration-credits.ts';
import { chargeBoundaries, issueBills } from '../invoices/bill-boundaries.ts';
import { type Issuing, issueInvoice } from '../invoices/issue-invoices.ts';
import { updateLateUsage } from '../invoices/late-usage.ts';
import type { BillsToCutoff } from '../invoices/load-bills.ts';
import type { Stores } from '../usage/answered-usage.ts';
import { beginSuccessor } from './begin-successor.ts';
import { lockDowngradeCredit } from './load-switch.ts';
import { publish, type SubscriptionSnapshot } from './move-subscription.ts';
import { ChangedMeanwhile } from './perform-call.ts';
import { replaceSubscription } from './replace.ts';

/** When it happens, when that is done in the customer's time, by what, and the call that asked for it. */
type Performed = SwitchTerms & Pick<Issuing, 'now' | 'by'> & { at: Instant; operationId?: string };

type Parties = Awaited<ReturnType<typeof replaceSubscription>>;

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
    throw new ChangedMeanwhile(old.subscriptionId);
  }
  await updatePeriodClosed(tx, account.accountId, old.subscriptionId, old.currentPeriod.index, now);
  if (loaded.bills) return closePeriodFor(stores, snapshot, loaded.bills, performed);

  const parties = await replaceSubscription(tx, snapshot, performed);
  const metricIds = parties.nextPlan.components.map(({ metricId }) => metricId);
  const metrics = await findMetrics(tx, account.accountId, metricIds);
  const nameOf = (id: string) => metrics.find(({ metricId }) => metricId === id)?.metricName ?? '';
  const places = currencyOf(snapshot.customer.currency).exponent;
  const charges = switchCharges(parties, parties.inheritance, { at, places, nameOf });
  await chargeNewUnits(tx, snapshot, parties, charges);
  const invoiceId = await saveProration(tx, snapshot, parties, { ...performed, charges });
  const record = await publish(stores, { ...snapshot, subscription: parties.next }, 'subscription.plan_changed');
  return { ...record, proration: prorationToWire(charges.proration), invoice_id: invoiceId };
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
  const { at, now, by } = performed;
  const [boundary] = boundaries;
  if (!boundary || boundaries.length > 1) throw new Error('a switch ends one period');
  const closed = closedBySwitch(boundary, performed);
  const ending = switchEnding(at, subscription.currentPeriod);
  const lateCharges = await updateLateUsage(tx, account, late, { customer, usageCutoff });
  await saveProrationCredits(tx, snapshot, { boundary, ending, now });
  const billed = { account, customer, now, by, usageCutoff };
  const [charges] = await chargeBoundaries(tx, billed, [closed], lateCharges);
  if (!charges) throw new Error(`nothing was charged for ${subscription.subscriptionId}`);
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
  { next }: SwitchParties,
  { prepaid }: SwitchCharges,
) {
  const places = currencyOf(customer.currency).exponent;
  const lines = prepaid.map((charge) => {
    const line = prepaidLine(charge);
    return { ...line, amount: roundHalfAwayFromZero(line.amount, places) };
  });
  const owner = { customerId: customer.customerId, subscriptionId: next.subscriptionId };
  await insertPendingItems(tx, account.accountId, owner, lines, []);
}

/** Charges or credits the difference for the rest of the period (spec/subscriptions#switch); the id of the invoice it is charged on at once. */
async function saveProration(
  tx: Transaction,
  snapshot: SubscriptionSnapshot,
  parties: Parties,
  {
    now,
    by,
    operationId,
    invoicingBehavior,
    charges: { difference, proration },
  }: Performed & { charges: SwitchCharges },
): Promise<string | null> {
  const { account, customer } = snapshot;
  if (proration.direction === 'credit') await creditDifference(tx, snapshot, parties, proration, now);
  if (proration.direction !== 'charge') return null;
  const line = { ...prorationLine(difference), amount: proration.amount };
  const { subscriptionId, currentPeriod: period } = parties.next;
  if (invoicingBehavior === 'invoice_now') {
    // "A new invoice with only the proration" (spec/subscriptions#switch).
    const charged = { kind: 'proration', pending: [line] } as const;
    const one = { subscriptionId, period, charged, operationId };
    const issued = await issueInvoice(tx, { account, customer, now, by }, one);
    return issued.invoiceId;
  }
  const owner = { customerId: customer.customerId, subscriptionId };
  await insertPendingItems(tx, account.accountId, owner, [line], []);
  return null;
}

/** "A credit of reason overpayment_credit, applied to the next invoice" (spec/subscriptions#switch). */
async function creditDifference(
  tx: Transaction,
  { account: { accountId }, customer }: SubscriptionSnapshot,
  parties: Parties,
  { amount: wanted }: Proration,
  at: Instant,
): Promise<void> {
  const { parts, description, ofLines, pending } = await lockDowngradeCredit(tx, accountId, customer, parties, {
    wanted,
    now: at,
  });
  // In the order in which an invoice that takes what waits locks both.
  await lockCredits(tx, accountId, [payerIdOf(customer)]);
  await updatePendingItemsCredited(tx, accountId, pending, ofLines);
  const { oldPlan, pendingOpening } = parties;
  if (oldPlan.chargeTiming === 'in_advance' && pendingOpening) {
    await updateNextFeeCredited(tx, accountId, pendingOpening, sum(parts.map(({ ofFee = ZERO }) => ofFee)));
  }
  await savePartsCredited(tx, { accountId, customer, at }, parts, description);
  const { switched } = parties.inheritance;
  if (!switched) throw new Error('a switch within a period leaves nothing to it');
  await updatePeriodSwitched(tx, accountId, parties.next.subscriptionId, withCredited(switched, parts));
}

function prorationToWire({ amount, direction, daysRemaining, daysInPeriod }: Proration): SwitchWire['proration'] {
  return { amount, direction, days_remaining: daysRemaining, days_in_period: daysInPeriod };
}
