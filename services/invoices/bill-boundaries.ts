import type { SwitchCharge } from '../../billing/credits/charged-fee.ts';
import { isOfSwitches } from '../../billing/credits/switch-charges.ts';
import {
  type Bill,
  type BillOptions,
  invoicesOfBills,
  keptOfBills,
  leaveForNext,
} from '../../billing/decide/bill-boundaries.ts';
import { type ChargeInput, decideCharges } from '../../billing/decide/charge-boundaries.ts';
import { sectionsSince } from '../../billing/decide/issue-input.ts';
import type { Issued } from '../../billing/decide/issue-invoices.ts';
import type { BoundaryCharges, BoundaryInput } from '../../billing/invoices/boundary-charges.ts';
import type { NewInvoiceLine } from '../../billing/invoices/invoice.ts';
import type { CountedLate } from '../../billing/metering/late-usage.ts';
import { holdersOf, type SwitchWithin } from '../../billing/periods/segments.ts';
import type { Instant } from '../../core/instants.ts';
import { listLimitedLines } from '../../sql/postgres/invoices/limited-amounts.ts';
import { listPendingItems } from '../../sql/postgres/invoices/pending-items.ts';
import { lockSwitchCharges } from '../../sql/postgres/invoices/switch-charges.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { saveChanges } from '../billing/save-changes.ts';
import { loadTerms } from '../state/load-terms.ts';
import { type Issuing, issueInvoices } from './issue-invoices.ts';
import { lockCharged, lockCreditsFor, switchesBilledBy } from './lock-charged.ts';
import { lockWaiting } from './lock-waiting.ts';

/** The customer that boundaries bill, and the customer's time. Usage counts up to `usageCutoff`. */
export type Billed = Issuing & { usageCutoff: bigint };

/** Makes the invoice of one boundary; null if none is made. */
export async function billBoundary(
  tx: Transaction,
  billed: Billed,
  boundary: BoundaryInput,
  options: BillOptions,
): Promise<Issued | null> {
  const [charges] = await chargeBoundaries(tx, billed, [boundary], options.late);
  if (!charges) throw new Error(`nothing was charged for ${boundary.subscriptionId}`);
  const [issued] = await issueBills(tx, billed, [{ ...options, boundary, charges }]);
  return issued ?? null;
}

/**
 * Charges boundaries in the caller's transaction, by the add-ons and prepaid units of now. The caller has locked their subscriptions.
 * `late` is the late usage on the same invoices.
 */
export async function chargeBoundaries(
  tx: Transaction,
  billed: Billed,
  boundaries: readonly BoundaryInput[],
  late: readonly CountedLate[],
): Promise<BoundaryCharges[]> {
  const input = await loadForCharges(tx, billed, boundaries, sectionsSince(billed));
  const { charges, changes } = decideCharges(input, boundaries, late);
  await saveChanges(tx, billed.account.accountId, changes);
  return charges;
}

/** Makes the invoices of boundaries that were charged, in their order; null where none is made. */
export async function issueBills(tx: Transaction, billed: Billed, bills: readonly Bill[]): Promise<(Issued | null)[]> {
  const { account, customer } = billed;
  const { accountId } = account;
  await lockCreditsFor(tx, billed);
  const pending = await listPendingItems(tx, accountId, customer.customerId, { lock: true });
  const issued = await issueInvoices(tx, billed, invoicesOfBills({ ...billed, pending }, bills));
  await saveChanges(tx, accountId, keptOfBills(bills, issued));
  return issued;
}

/** Leaves what a boundary bills for the customer's next invoice. */
export async function leaveBoundary(
  tx: Transaction,
  billed: Billed,
  boundary: BoundaryInput,
  late: readonly CountedLate[],
): Promise<void> {
  const { accountId } = billed.account;
  const input = await loadForCharges(tx, billed, [boundary], null);
  const { charges: all, changes } = decideCharges(input, [boundary], late);
  await saveChanges(tx, accountId, changes);
  for (const charges of all) await saveChanges(tx, accountId, leaveForNext(billed, boundary, { charges, late }));
}

/** Loads the records by which boundaries are charged. `named` is the instant of their sections, or null if they are not sections. */
async function loadForCharges(
  tx: Transaction,
  billed: Billed,
  boundaries: readonly BoundaryInput[],
  named: Instant | null,
): Promise<ChargeInput> {
  const { account, customer, usageCutoff } = billed;
  const { accountId } = account;
  const limited = boundaries.filter(({ ended }) => ended?.segments.some(({ plan }) => plan.limits));
  const holders = limited.flatMap(({ ended }) => holdersOf(ended?.segments ?? []));
  const since = Math.min(...limited.flatMap(({ ended }) => ended?.billing.startsAt ?? []));
  const ids = boundaries.map(({ subscriptionId }) => subscriptionId);
  const [limitedLines, terms] = await Promise.all([
    listLimitedLines(tx, accountId, holders, since),
    loadTerms(tx, accountId, ids),
  ]);
  const switchCharges = await lockChargesOf(tx, billed, boundaries.flatMap(switchesBilledBy), named);
  return { account, customer, usageCutoff, limitedLines, terms, switchCharges };
}

/**
 * Returns the charges of switches and locks their invoices together, so that none is refunded or voided while unused parts are taken back. A
 * section names another section of the same instant by its stand-in, because both are on one invoice.
 */
async function lockChargesOf(
  tx: Transaction,
  billed: Billed,
  switches: readonly SwitchWithin[],
  named: Instant | null,
): Promise<SwitchCharge[]> {
  if (switches.length === 0) return [];
  const { account, customer, now } = billed;
  const { accountId } = account;
  const isOf = (line: NewInvoiceLine) => isOfSwitches(line, switches);
  const isNamed = (_line: NewInvoiceLine, dueAt: Instant) => dueAt === named;
  const pending = await listPendingItems(tx, accountId, customer.customerId, { lock: false });
  const charges = await lockCharged(tx, { accountId, customer, now, isOf, isNamed }, () =>
    lockSwitchCharges(tx, accountId, switches),
  );
  await lockWaiting(tx, accountId, customer, pending, isOf);
  return charges;
}
