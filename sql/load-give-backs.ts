import type { BoundaryInput } from '../billing/boundary-charges.ts';
import { type Ending, type GiveBack, giveBacks, type Prorated, splitGiveBack } from '../billing/cancel.ts';
import type { LoadedCarry } from '../billing/carried-period.ts';
import type { ApplicableCredit } from '../billing/credits.ts';
import { currencyOf } from '../billing/currencies.ts';
import { type Decimal, sum, ZERO } from '../billing/decimal.ts';
import type { Instant } from '../billing/instants.ts';
import type { IssuedInvoice, NewInvoiceLine } from '../billing/invoice.ts';
import { emptyLine } from '../billing/invoice-lines.ts';
import type { Period } from '../billing/periods.ts';
import { refundableAmount } from '../billing/refunds.ts';
import type { Customer, Subscription } from '../billing/subscription.ts';
import { creditedBySwitches } from '../billing/switch.ts';
import { listChargedFees, lockChargedFees } from './give-backs.ts';
import { loadInvoice } from './invoices.ts';
import { hasLiveAttempt } from './payment-attempts.ts';
import { inTransaction, type Pool, type Transaction } from './postgres.ts';
import { listRefundsOfInvoice } from './refunds.ts';
import { listWaitingLines } from './waiting-lines.ts';

/** The end of a period that was paid ahead. */
type PaidEnd = { customer: Customer; subscription: Subscription; boundary: BoundaryInput; ending: Ending };

/** What an end gives back: parts of invoices, and a line that takes back what still waits for one (null: nothing does). */
export type LoadedGiveBacks = { given: GiveBack[]; waived: NewInvoiceLine | null };

/**
 * What was charged ahead for the period that a cancel or a switch ends, also by switches within it (contract 7). `lock`: the
 * invoices until the transaction ends, all of them before anything of the customer's is locked.
 */
export async function loadGiveBacks(
  tx: Transaction,
  accountId: string,
  end: PaidEnd,
  { lock }: { lock: boolean },
): Promise<LoadedGiveBacks> {
  const { customer, subscription, ending } = end;
  const { plan, carried = null } = end.boundary;
  if (plan.chargeTiming !== 'in_advance') return { given: [], waived: null };
  const { subscriptionId, currentPeriod: period } = subscription;
  const { customerId, currency } = customer;
  const places = currencyOf(currency).exponent;
  const ids = holdersOf(carried, subscriptionId);
  if (lock) await lockChargedFees(tx, accountId, ids, period);
  const charged = await listChargedFees(tx, accountId, ids, period);
  const prorated = await loadProrated(tx, { accountId, customerId, ids, period }, carried, places);
  const { given, waived } = giveBacks({ period, fee: plan.recurringFee, charged, prorated, places }, ending);
  if (waived.isZero()) return { given, waived: null };
  const { planId, version } = plan;
  const back = {
    ...emptyLine('proration', `${plan.name}: switch charge not used`),
    ...{ subscriptionId, planId, version, periodStart: ending.at, periodEnd: period.endsAt },
    amount: waived.negated(),
  };
  return { given, waived: back };
}

/** The subscriptions that have had a subscription's period, one after another: switches within it have carried it on. */
export function holdersOf(
  carried: { stretches: readonly { subscriptionId: string }[] } | null,
  subscriptionId: string,
): string[] {
  return carried && carried.stretches.length > 0
    ? carried.stretches.map((one) => one.subscriptionId)
    : [subscriptionId];
}

type Paid = { accountId: string; customerId: string; ids: string[]; period: Period };

/** What switches have charged for a period that waits for an invoice, and what they have credited. */
export async function loadProrated(
  tx: Transaction,
  { accountId, customerId, ids, period }: Paid,
  carried: Pick<LoadedCarry, 'stretches'> | null,
  places: number,
): Promise<Prorated> {
  if (!carried || carried.stretches.length === 0) return { waiting: ZERO, credited: ZERO };
  const { lines } = await listWaitingLines(tx, accountId, customerId, { lock: false });
  const ours = lines.filter(
    ({ type, metricId, subscriptionId, periodEnd }) =>
      type === 'proration' && metricId === null && periodEnd === period.endsAt && ids.includes(subscriptionId ?? ''),
  );
  return {
    waiting: sum(ours.map(({ amount }) => amount)),
    credited: creditedBySwitches(carried.stretches, period, places),
  };
}

/** How much of an invoice its processor is to send back at most, and how much a credit can still pay of it. */
export async function loadOpenEnds(
  tx: Transaction,
  accountId: string,
  invoice: IssuedInvoice,
  { givesCredit = false }: Pick<Ending, 'givesCredit'>,
): Promise<{ refundable: Decimal; due: Decimal }> {
  const byHand = givesCredit || invoice.payments.every(({ method }) => method === 'manual');
  const earlier = byHand ? [] : await listRefundsOfInvoice(tx, accountId, invoice.invoiceId);
  // While a payment of it is in flight, what is due stays what was asked for; the credit is for the next invoice.
  const isInFlight = await hasLiveAttempt(tx, accountId, invoice.invoiceId);
  return {
    refundable: byHand ? ZERO : refundableAmount(invoice.amountPaid, earlier),
    due: isOwed(invoice) && !isInFlight ? invoice.amountDue : ZERO,
  };
}

/** What was given up is still owed: no credit is left of money that never came. */
function isOwed({ status }: IssuedInvoice): boolean {
  return status === 'open' || status === 'uncollectible';
}

/** A credit that is not there yet: its id names where it comes from, and no draft shows it. */
const PLANNED = 'planned/';

/** Whether a credit is only planned. */
export function isPlannedCredit(creditId: string): boolean {
  return creditId.startsWith(PLANNED);
}

/** A credit that a boundary will make at `at`, as a draft applies it. */
export function plannedCredit(
  from: string,
  of: { amount: Decimal; currency: string; description: string; at: Instant },
): ApplicableCredit {
  const { amount: amountRemaining, currency, description, at: createdAt } = of;
  const never = { expiresAt: null, voidedAt: null };
  return {
    creditId: `${PLANNED}${from}`,
    amountRemaining,
    currency,
    reason: 'overpayment_credit',
    description,
    createdAt,
    ...never,
  };
}

/** What an end will leave for its invoice: credits, and a line that takes back what waited. */
export type PlannedBack = { credits: ApplicableCredit[]; waived: NewInvoiceLine | null };

/** What the end of a period will give back, as far as it is left as credit when the invoice is made. */
export function loadPlannedBack(
  { postgres }: { postgres: Pool },
  accountId: string,
  end: PaidEnd,
): Promise<PlannedBack> {
  return inTransaction(postgres, accountId, async (tx) => {
    const { given, waived } = await loadGiveBacks(tx, accountId, end, { lock: false });
    const credits: ApplicableCredit[] = [];
    for (const one of given) {
      const invoice = await loadInvoice(tx, accountId, one.invoiceId);
      const { credited, appliedAtOnce } = splitGiveBack(one, await loadOpenEnds(tx, accountId, invoice, end.ending));
      const amount = credited.minus(appliedAtOnce);
      if (!amount.gt(0)) continue;
      const { currency } = invoice;
      const of = { amount, currency, description: giveBackOf(invoice), at: end.ending.at };
      credits.push(plannedCredit(one.invoiceId, of));
    }
    return { credits, waived };
  });
}

/** What a credit that gives back a part of an invoice says of itself. */
export function giveBackOf({ invoiceNumber }: IssuedInvoice): string {
  return `Part of the fee of invoice ${invoiceNumber}`;
}
