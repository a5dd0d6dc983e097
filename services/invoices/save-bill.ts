import type { Account } from '../../billing/accounts/account.ts';
import {
  type BoundaryCharges,
  type BoundaryInput,
  boundaryCharges,
  joinCharges,
} from '../../billing/invoices/boundary-charges.ts';
import { isChargedAhead } from '../../billing/invoices/charged-ahead.ts';
import { chargedLines } from '../../billing/invoices/compute-invoice.ts';
import type { IssuedInvoice } from '../../billing/invoices/invoice.ts';
import { billableLines } from '../../billing/invoices/pending-items.ts';
import type { CountedLate } from '../../billing/metering/late-usage.ts';
import { countsOf } from '../../billing/metering/line-counts.ts';
import type { Period } from '../../billing/periods/periods.ts';
import type { Customer, Subscription } from '../../billing/subscriptions/subscription.ts';
import { currencyOf } from '../../core/currencies.ts';
import { roundHalfAwayFromZero } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import { lockCredits } from '../../sql/postgres/credits/credits.ts';
import { insertBilledUsage } from '../../sql/postgres/invoices/billed-usage.ts';
import { insertLineCounts } from '../../sql/postgres/invoices/line-counts.ts';
import {
  insertPendingItems,
  listPendingItems,
  updatePendingItemsTaken,
} from '../../sql/postgres/invoices/pending-items.ts';
import { lockSwitchCharges } from '../../sql/postgres/invoices/switch-charges.ts';
import { upsertWatermark } from '../../sql/postgres/invoices/usage-watermarks.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { updateAddonsBilled } from '../../sql/postgres/subscriptions/addon-subscriptions.ts';
import { updateNextFeeTaken } from '../../sql/postgres/subscriptions/pending-invoices.ts';
import { issueInvoice } from './issue-invoice.ts';
import { loadOwnTerms } from './load-invoice-inputs.ts';

/** Whom a boundary bills, and when in the customer's time; usage counts up to the cutoff. */
export type Billed = { account: Account; customer: Customer; now: Instant; usageCutoff: bigint };

/**
 * `scheduled` boundaries always make their invoice, also at zero; `where_due` makes none where nothing is due: after a
 * pause, and for an immediate cancel (spec/subscriptions#pause).
 */
type BillOptions = {
  kind: 'period' | 'closing';
  making: 'scheduled' | 'where_due';
  /** Late usage that was counted; an account may have it ignored. */
  late: readonly CountedLate[];
};

/** A boundary with what it charges, as {@link chargeBoundary} has kept it, and what a switch begins with it. */
export type Bill = BillOptions & { boundary: BoundaryInput; charges: BoundaryCharges; begun?: Begun | null };

/** The subscription that a switch begins with the boundary, and what is due at its start; null for nothing. */
export type Begun = { subscription: Subscription; charges: BoundaryCharges | null };

/** Makes the invoice of one boundary, as {@link issueBill}. */
export async function saveBill(
  tx: Transaction,
  billed: Billed,
  boundary: BoundaryInput,
  options: BillOptions,
): Promise<IssuedInvoice | null> {
  return issueBill(tx, billed, { ...options, boundary, charges: await chargeBoundary(tx, billed, boundary) });
}

/**
 * What a boundary charges, by the add-ons and prepaid units of now (the subscription is locked), kept so that it is billed once
 * and late usage is told from it.
 */
export async function chargeBoundary(
  tx: Transaction,
  billed: Billed,
  boundary: BoundaryInput,
): Promise<BoundaryCharges> {
  const charges = await chargesNow(tx, billed.account.accountId, boundary);
  await keepBilled(tx, billed, boundary, charges);
  return charges;
}

/**
 * Makes the invoice of one boundary, with what waits for the customer's next one; null where none is made. What a switch
 * begins is on the same invoice: within a period that is its opening one, "else a closing one" (spec/subscriptions#switch).
 */
export async function issueBill(
  tx: Transaction,
  billed: Billed,
  { boundary, charges: ended, begun = null, kind, making, late: counted }: Bill,
): Promise<IssuedInvoice | null> {
  const { account, customer, now, usageCutoff } = billed;
  const { accountId } = account;
  const { customerId } = customer;
  const late = account.lateUsage === 'ignore' ? [] : counted;
  const charges = begun?.charges ? joinCharges(ended, begun.charges) : ended;
  await lockCredits(tx, accountId, customerId);
  const pending = billableLines(await listPendingItems(tx, accountId, customerId, { lock: true }), account);
  const { kind: kindMade, ...about } = headOf(boundary, kind, begun);
  const charged = { ...charges, late, kind: kindMade, pending: pending.lines };
  const onlyIfDue = making === 'where_due';
  const issued = await issueInvoice(tx, { account, customer, ...about, charged, now, onlyIfDue });
  if (issued === null) return null;
  await updatePendingItemsTaken(tx, accountId, pending, issued.invoiceId);
  const counts = countsOf({ usages: charges.usages, late }, usageCutoff);
  await insertLineCounts(tx, accountId, issued, [...pending.counts, ...counts]);
  if (begun?.charges) await updateAddonsBilled(tx, accountId, begun.charges.addons);
  return issued;
}

/** Whose invoice it is, of which kind, and for which period. */
function headOf(boundary: BoundaryInput, kind: BillOptions['kind'], begun: Begun | null) {
  if (kind === 'closing' && begun?.charges) {
    const { subscriptionId, currentPeriod: period } = begun.subscription;
    return { kind: 'opening' as const, subscriptionId, period };
  }
  return { kind, subscriptionId: boundary.subscriptionId, period: endedBy(boundary) };
}

/**
 * Leaves what a boundary bills for the customer's next invoice. A line is rounded once, here; its tax is that of the moment
 * of issue, and so is whether late usage is billed.
 */
export async function savePendingItems(
  tx: Transaction,
  billed: Billed,
  boundary: BoundaryInput,
  late: readonly CountedLate[],
): Promise<void> {
  const { account, customer, usageCutoff } = billed;
  const { accountId } = account;
  const charges = await chargeBoundary(tx, billed, boundary);
  const places = currencyOf(customer.currency).exponent;
  const lines = chargedLines({ ...charges, late, pending: [] }, places).map((line) => ({
    ...line,
    amount: roundHalfAwayFromZero(line.amount, places),
  }));
  if (lines.every(({ amount }) => amount.isZero())) return;
  const owner = { customerId: customer.customerId, subscriptionId: boundary.subscriptionId };
  const counts = countsOf({ usages: charges.usages, late }, usageCutoff);
  await insertPendingItems(tx, accountId, owner, lines, counts);
}

/**
 * The charges by the add-ons and prepaid units of now, and by what can be given back now of what switches have charged: the
 * subscription is locked, and so are the invoices of these.
 */
async function chargesNow(tx: Transaction, accountId: string, boundary: BoundaryInput): Promise<BoundaryCharges> {
  const terms = await loadOwnTerms(tx, accountId, boundary.subscriptionId);
  const { carried } = boundary;
  if (!carried || isChargedAhead(boundary)) return boundaryCharges({ ...boundary, ...terms });
  const switchCharges = await lockSwitchCharges(tx, accountId, carried.stretches.slice(1));
  return boundaryCharges({ ...boundary, ...terms, carried: { ...carried, switchCharges } });
}

async function keepBilled(
  tx: Transaction,
  { account: { accountId }, customer, usageCutoff }: Billed,
  boundary: BoundaryInput,
  { addons, usages }: BoundaryCharges,
): Promise<void> {
  const period = endedBy(boundary);
  const endsAt = boundary.ending?.at ?? period.endsAt;
  // Usage that came with a switch may be older than the period.
  const startsAt = Math.min(period.startsAt, ...usages.map(({ periodStart }) => periodStart));
  if (!boundary.fixedAddons) await updateAddonsBilled(tx, accountId, addons);
  if (boundary.pendingOpening) await updateNextFeeTaken(tx, accountId, boundary.pendingOpening);
  if (endsAt <= startsAt) return;
  await insertBilledUsage(tx, accountId, usages);
  const { subscriptionId } = boundary;
  await upsertWatermark(tx, accountId, customer.customerId, {
    subscriptionId,
    countedTo: usageCutoff,
    startsAt,
    endsAt,
  });
}

function endedBy({ ended }: BoundaryInput): Period {
  if (ended === null) throw new Error('a boundary that ends no period is billed by an opening invoice');
  return ended;
}
