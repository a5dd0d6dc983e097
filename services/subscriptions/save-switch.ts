import { payerIdOf } from '../../billing/accounts/payers.ts';
import { type PartsToCredit, payersOfParts } from '../../billing/decide/parts-credited.ts';
import { decideSwitchWithin, lineOfProration } from '../../billing/decide/switch-within.ts';
import { plansInForce } from '../../billing/periods/segments.ts';
import { periodIdOf } from '../../billing/settle/charge-keys.ts';
import { closedBySwitch, type SwitchCharges, switchCharges } from '../../billing/subscriptions/inheritance.ts';
import {
  type Proration,
  type SwitchParties,
  type SwitchTerms,
  successionOf,
  switchEnding,
} from '../../billing/subscriptions/switch.ts';
import { currencyOf } from '../../core/currencies.ts';
import type { Instant } from '../../core/instants.ts';
import { findMetrics } from '../../sql/postgres/catalog/metrics.ts';
import { lockCredits } from '../../sql/postgres/credits/credits.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import type { SwitchWire } from '../../wire/subscriptions/switches.ts';
import { ofFee } from '../billing/record-reversals.ts';
import { saveChanges } from '../billing/save-changes.ts';
import { recordPartsCredited } from '../credits/record-parts-credited.ts';
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
  const { account, customer, subscription: old } = snapshot;
  const { nextPlan, at, now } = performed;
  const closes = successionOf(old, nextPlan, at) === 'closes';
  const isSame = loaded?.versionId === nextPlan.versionId && loaded.periodIndex === old.currentPeriod.index;
  if (!loaded || !isSame || closes !== (loaded.bills !== null)) {
    throw new ChangedMeanwhile(old.subscriptionId);
  }
  const closed = { subscriptionId: old.subscriptionId, periodIndex: old.currentPeriod.index, closedAt: now };
  await saveChanges(tx, account.accountId, { periodsClosed: [closed] });
  if (loaded.bills) return closePeriodFor(stores, snapshot, loaded.bills, performed);

  const parties = await replaceSubscription(tx, snapshot, performed);
  const metricIds = parties.nextPlan.components.map(({ metricId }) => metricId);
  const metrics = await findMetrics(tx, account.accountId, metricIds);
  const nameOf = (id: string) => metrics.find(({ metricId }) => metricId === id)?.metricName ?? '';
  const places = currencyOf(customer.currency).exponent;
  const charges = switchCharges(parties, parties.inheritance, { at, places, nameOf });
  const { proration } = charges;
  const isInvoicedNow = proration.direction === 'charge' && performed.invoicingBehavior === 'invoice_now';
  const credit = proration.direction === 'credit' ? await lockCredit(tx, snapshot, parties, proration, now) : null;
  const input = { customer, parties, charges, places, isInvoicedNow, credit, at: now };
  const changes = decideSwitchWithin(input);
  const ids = await saveChanges(tx, account.accountId, changes);
  if (credit) {
    const charged = { keys: feeKeysOf(parties), changes, ids };
    await recordPartsCredited(tx, account.accountId, customer, credit.parts, charged);
  }
  const invoiceId = isInvoicedNow ? await issueProration(tx, snapshot, parties, { ...performed, charges }) : null;
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
  const { at, now, by } = performed;
  const [boundary] = boundaries;
  if (!boundary || boundaries.length > 1) throw new Error('a switch ends one period');
  const closed = closedBySwitch(boundary, performed);
  const ending = switchEnding(at, subscription.currentPeriod);
  const billed = { account, customer, now, by, usageCutoff };
  const lateCharges = await updateLateUsage(tx, { ...billed, boundaries: [closed], on: 'invoice' }, late, usageCutoff);
  await saveProrationCredits(tx, snapshot, { boundary, ending, now });
  const [charges] = await chargeBoundaries(tx, billed, [closed], lateCharges);
  if (!charges) throw new Error(`nothing was charged for ${subscription.subscriptionId}`);
  const begun = await beginSuccessor(tx, snapshot, performed, at);
  const options = { kind: 'closing', making: 'where_due', late: lateCharges, begun } as const;
  const [invoice] = await issueBills(tx, billed, [{ ...options, boundary: closed, charges }]);
  const record = await publish(stores, { ...snapshot, subscription: begun.subscription }, 'subscription.plan_changed');
  return { ...record, proration: null, invoice_id: invoice?.invoiceId ?? null };
}

/** Loads what a downgrade credits of earlier charges, and locks the invoices, pending items and credits that this concerns. */
async function lockCredit(
  tx: Transaction,
  { account: { accountId }, customer }: SubscriptionSnapshot,
  parties: SwitchParties,
  { amount: wanted }: Proration,
  now: Instant,
): Promise<PartsToCredit> {
  const credit = await lockDowngradeCredit(tx, accountId, customer, parties, { wanted, now });
  await lockCredits(tx, accountId, [payerIdOf(customer), ...payersOfParts(customer, credit.parts)]);
  return credit;
}

/** Returns the keys of the charges that the fee of the period was charged by. */
function feeKeysOf({ old, switched }: SwitchParties): string[] {
  const { currentPeriod } = old;
  const [first] = plansInForce(old, currentPeriod, switched);
  return ofFee(periodIdOf(first?.subscriptionId ?? old.subscriptionId, currentPeriod.billing.startsAt));
}

/** Issues "a new invoice with only the proration" (spec/subscriptions#switch), and returns its id. */
async function issueProration(
  tx: Transaction,
  { account, customer }: SubscriptionSnapshot,
  { next: { subscriptionId, currentPeriod: period } }: SwitchParties,
  { now, by, operationId, charges }: Performed & { charges: SwitchCharges },
): Promise<string | null> {
  const charged = { kind: 'proration', pending: [lineOfProration(charges)] } as const;
  const issued = await issueInvoice(
    tx,
    { account, customer, now, by },
    { subscriptionId, period, charged, operationId },
  );
  return issued.invoiceId;
}

function prorationToWire({ amount, direction, daysRemaining, daysInPeriod }: Proration): SwitchWire['proration'] {
  return { amount, direction, days_remaining: daysRemaining, days_in_period: daysInPeriod };
}
