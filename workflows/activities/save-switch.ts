import type { ProrationCharge } from '../../billing/charges.ts';
import { computeInvoice } from '../../billing/compute-invoice.ts';
import { newCredit } from '../../billing/credits.ts';
import { currencyOf } from '../../billing/currencies.ts';
import { roundHalfAwayFromZero } from '../../billing/decimal.ts';
import { type Instant, localDateAt } from '../../billing/instants.ts';
import { prepaidLine, prorationLine } from '../../billing/invoice-lines.ts';
import { postFeeGivenBack } from '../../billing/ledger.ts';
import {
  newUnits,
  type Proration,
  prorationOf,
  type SwitchParties,
  successionOf,
  switchCharge,
  switchEnding,
} from '../../billing/switch.ts';
import { newId } from '../../runtime/ids.ts';
import { listCreditsWithRemainder, lockCredits } from '../../sql/credits.ts';
import { loadOpening } from '../../sql/load-invoice-inputs.ts';
import { loadDowngradeCredit, type SwitchTerms } from '../../sql/load-switch.ts';
import { updatePeriodClosed } from '../../sql/periods.ts';
import type { Transaction } from '../../sql/postgres.ts';
import { saveCredit } from '../../sql/save-credit.ts';
import { saveInvoice } from '../../sql/save-invoice.ts';
import { insertWaitingLines } from '../../sql/waiting-lines.ts';
import type { SwitchWire } from '../../wire/switches.ts';
import { beginSuccessor } from './begin-successor.ts';
import { countLateUsage } from './issue-period-invoice.ts';
import type { SealedBills } from './load-bills.ts';
import { type Held, type Stores, tell } from './move-subscription.ts';
import { replaceSubscription } from './replace-subscription.ts';
import { type Begun, saveBill } from './save-bill.ts';
import { saveGiveBacks } from './save-give-backs.ts';

/** When it happens, when that is done in the customer's time, and the call that asked for it. */
type Performed = SwitchTerms & { at: Instant; now: Instant; operationId?: string };

/** What was read of the period before; `bills` where the switch closes it. */
type LoadedSwitch = { versionId: string; periodIndex: number; bills: SealedBills | null };

/** Switches within a period: the old subscription ends and the new one begins in this transaction. */
export async function saveSwitch(
  stores: Stores,
  held: Held,
  loaded: LoadedSwitch | null,
  performed: Performed,
): Promise<SwitchWire> {
  const { tx } = stores;
  const { account, subscription: old } = held;
  const { nextPlan, at, now } = performed;
  const closes = successionOf(old, nextPlan, at) === 'closes';
  const isSame = loaded?.versionId === nextPlan.versionId && loaded.periodIndex === old.currentPeriod.index;
  if (!loaded || !isSame || closes !== (loaded.bills !== null)) {
    throw new Error(`${old.subscriptionId} was changed meanwhile`);
  }
  await updatePeriodClosed(tx, account.accountId, old.subscriptionId, old.currentPeriod.index, now);
  if (loaded.bills) return closePeriodFor(stores, held, loaded.bills, performed);

  const parties = await replaceSubscription(tx, held, performed);
  await chargeNewUnits(tx, held, parties);
  const { proration, invoiceId } = await saveProration(tx, held, parties, performed);
  const record = await tell(stores, { ...held, subscription: parties.next }, 'subscription.plan_changed');
  return { ...record, proration: prorationToWire(proration), invoice_id: invoiceId };
}

/** The old period ends here: its lines are on the new subscription's opening invoice, else on a closing one. */
async function closePeriodFor(
  stores: Stores,
  held: Held,
  { boundaries, late, sealPosition }: SealedBills,
  performed: Performed,
): Promise<SwitchWire> {
  const { tx } = stores;
  const { account, customer } = held;
  const { at, now, nextPlan, usageBehavior } = performed;
  const [boundary] = boundaries;
  if (!boundary || boundaries.length > 1) throw new Error('a switch ends one period');
  const ending = switchEnding(at, localDateAt(at, customer.timeZone));
  await saveGiveBacks(tx, held, { boundary, ending, now });
  const moves = usageBehavior === 'transfer_to_new_subscription';
  const movedMetrics = moves ? nextPlan.components.map(({ metricId }) => metricId) : [];
  let begun: Begun | undefined;
  const begin = async () => {
    begun = await beginSuccessor(tx, held, performed, at);
    return begun;
  };
  const lateCharges = await countLateUsage(tx, held, late, sealPosition);
  const options = { kind: 'closing', making: 'where_due', late: lateCharges, begin } as const;
  const billed = { account, customer, now, sealPosition };
  const invoice = await saveBill(tx, billed, { ...boundary, ending, next: null, movedMetrics }, options);
  if (!begun) throw new Error('a switch that began nothing');
  const record = await tell(stores, { ...held, subscription: begun.subscription }, 'subscription.plan_changed');
  return { ...record, proration: null, invoice_id: invoice?.invoiceId ?? null };
}

/** Units that only the new plan prepays are paid for from the switch on, on the customer's next invoice. */
async function chargeNewUnits(tx: Transaction, { account, customer }: Held, { next, nextPlan }: SwitchParties) {
  const { prepaidUnits = [], metrics } = await loadOpening(tx, account.accountId, next);
  const places = currencyOf(customer.currency).exponent;
  const nameOf = (id: string) => metrics.find(({ metricId }) => metricId === id)?.metricName ?? '';
  const lines = newUnits({ next, nextPlan }, prepaidUnits, nameOf).map((charge) => {
    const line = prepaidLine(charge);
    return { ...line, amount: roundHalfAwayFromZero(line.amount, places) };
  });
  const owner = { customerId: customer.customerId, subscriptionId: next.subscriptionId };
  await insertWaitingLines(tx, account.accountId, owner, lines, []);
}

/** Charges or credits the difference for the rest of the period (contract 7, switch_plan). */
async function saveProration(
  tx: Transaction,
  held: Held,
  parties: SwitchParties,
  performed: Performed,
): Promise<{ proration: Proration; invoiceId: string | null }> {
  const { account, customer } = held;
  const { at, invoicingBehavior } = performed;
  const { currency, customerId } = customer;
  const places = currencyOf(currency).exponent;
  const charge = switchCharge(parties, at, localDateAt(at, customer.timeZone));
  const proration = prorationOf(charge, places);
  if (proration.direction === 'credit') await creditDifference(tx, held, parties, proration, performed.now);
  if (proration.direction !== 'charge') return { proration, invoiceId: null };
  if (invoicingBehavior === 'invoice_now') {
    return { proration, invoiceId: await invoiceProration(tx, held, parties, charge, performed) };
  }
  const line = { ...prorationLine(charge), amount: proration.amount };
  const owner = { customerId, subscriptionId: parties.next.subscriptionId };
  await insertWaitingLines(tx, account.accountId, owner, [line], []);
  return { proration, invoiceId: null };
}

/** "A new invoice with only the proration" (interface, switch_plan options). */
async function invoiceProration(
  tx: Transaction,
  { account, customer }: Held,
  { next }: SwitchParties,
  charge: ProrationCharge,
  { now, operationId }: Performed,
): Promise<string> {
  const { accountId } = account;
  const { customerId, currency, taxRate } = customer;
  const { startsAt: periodStart, endsAt: periodEnd, index: periodIndex } = next.currentPeriod;
  await lockCredits(tx, accountId, customerId);
  const invoice = computeInvoice({
    kind: 'proration',
    currency,
    taxRate,
    periodStart,
    periodEnd,
    fees: [],
    prepaid: [],
    usages: [],
    prorations: [charge],
    waiting: [],
    credits: await listCreditsWithRemainder(tx, accountId, customerId),
    today: localDateAt(now, customer.timeZone),
  });
  const { subscriptionId } = next;
  const of = operationId === undefined ? {} : { operationId };
  return (await saveInvoice(tx, { account, customer, subscriptionId, periodIndex, invoice, now, ...of })).invoiceId;
}

/** "A credit of reason overpayment_credit, applied to the next invoice" (contract 7, switch_plan). */
async function creditDifference(
  tx: Transaction,
  { account: { accountId }, customer }: Held,
  parties: SwitchParties,
  proration: Proration,
  now: Instant,
): Promise<void> {
  const { customerId, currency, timeZone } = customer;
  const { amount, tax, description } = await loadDowngradeCredit(tx, accountId, customer, parties, proration.amount);
  await lockCredits(tx, accountId, customerId);
  const credit = newCredit({
    creditId: newId('credit'),
    customerId,
    amount: amount.plus(tax),
    currency,
    reason: 'overpayment_credit',
    description,
    expiresAt: null,
    createdAt: now,
  });
  await saveCredit(tx, credit, postFeeGivenBack({ amount, tax }), { accountId, timeZone });
}

function prorationToWire({ amount, direction, daysRemaining, daysInPeriod }: Proration): SwitchWire['proration'] {
  return { amount, direction, days_remaining: daysRemaining, days_in_period: daysInPeriod };
}
