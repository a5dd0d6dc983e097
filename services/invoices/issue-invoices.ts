import type { Account } from '../../billing/accounts/account.ts';
import {
  type InvoiceToIssue,
  type IssuedBy,
  type IssueInput,
  type PayerInput,
  partOf,
  sectionsSince,
} from '../../billing/decide/issue-input.ts';
import { decideInvoices, type Issued } from '../../billing/decide/issue-invoices.ts';
import type { ApplicableDiscount } from '../../billing/discounts/discounts.ts';
import { agreedVersions } from '../../billing/invoices/agreed-lines.ts';
import type { Customer, PlanVersion } from '../../billing/subscriptions/subscription.ts';
import type { Instant } from '../../core/instants.ts';
import { findPlanVersions } from '../../sql/postgres/catalog/plans.ts';
import { listCreditsWithRemainder, lockCredits } from '../../sql/postgres/credits/credits.ts';
import { loadPayer } from '../../sql/postgres/customers/customers.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { listApplicableDiscounts } from '../../sql/postgres/subscriptions/discounts.ts';
import { loadKeyedPeriodsOf, type Place } from '../billing/record-invoices.ts';
import { withCharges } from '../billing/record-issued.ts';
import { saveChanges } from '../billing/save-changes.ts';
import { savedId } from '../billing/saved-ids.ts';

/** Whose invoices are made, when in the customer's time, and by what. */
export type Issuing = { account: Account; customer: Customer; now: Instant; by: IssuedBy };

/**
 * Issues invoices in the caller's transaction, in as many statements for many as for one: loads what decides them, decides, and saves.
 * Their numbers come as the transaction ends. Null where `onlyIfDue` is asked and nothing is due.
 */
export async function issueInvoices(
  tx: Transaction,
  issuing: Issuing,
  wanted: readonly InvoiceToIssue[],
): Promise<(Issued | null)[]> {
  const { account, customer } = issuing;
  const { accountId } = account;
  const { hasDiscounts } = customer;
  const isSectioned = sectionsSince(issuing) !== null;
  // Sent together, so that the periods cost no round trip.
  const [input, periods] = await Promise.all([
    loadForIssue(tx, issuing, wanted),
    isSectioned ? [] : loadKeyedPeriodsOf(tx, accountId, wanted.flatMap(placesIn)),
  ]);
  const { changes, issued } = decideInvoices(input, wanted);
  const charged = await withCharges(tx, accountId, changes, { hasDiscounts, periods });
  const ids = await saveChanges(tx, accountId, charged);
  return issued.map((one) => one && { invoiceId: one.invoiceId && savedId(ids, one.invoiceId) });
}

/** {@link issueInvoices} of one invoice. */
export async function issueInvoice(
  tx: Transaction,
  issuing: Issuing,
  wanted: InvoiceToIssue & { onlyIfDue?: false },
): Promise<Issued> {
  const [invoice] = await issueInvoices(tx, issuing, [wanted]);
  if (!invoice) throw new Error(`no invoice of ${wanted.subscriptionId} was made`);
  return invoice;
}

/** Loads what invoices are decided by, and locks what they use up: credits, then discounts. */
async function loadForIssue(tx: Transaction, issuing: Issuing, wanted: readonly InvoiceToIssue[]): Promise<IssueInput> {
  const { account, customer, now, by } = issuing;
  const { accountId } = account;
  const dueAt = sectionsSince(issuing);
  if (dueAt !== null) {
    return { on: 'sections', customer, now, dueAt, discounts: await lockDiscounts(tx, accountId, customer, wanted) };
  }
  const payer = await loadPayer(tx, accountId, customer);
  const credits = await lockCreditsLeft(tx, accountId, payer);
  const discounts = await lockDiscounts(tx, accountId, customer, wanted);
  const agreedPlans = await loadAgreed(tx, accountId, wanted.flatMap(chargesOf));
  return { on: 'invoices', account, customer, payer, credits, discounts, agreedPlans, now, by };
}

/** Locks and returns the credits of a customer that have something left. */
export async function lockCreditsLeft(
  tx: Transaction,
  accountId: string,
  { customerId }: Pick<Customer, 'customerId'>,
): Promise<PayerInput['credits']> {
  await lockCredits(tx, accountId, [customerId]);
  return listCreditsWithRemainder(tx, accountId, [customerId]);
}

/** Loads the agreed plan versions that charges or lines name. */
export async function loadAgreed(
  tx: Transaction,
  accountId: string,
  charges: Parameters<typeof agreedVersions>[0],
): Promise<PayerInput['agreedPlans']> {
  const versions: PlanVersion[] = agreedVersions(charges);
  return versions.length === 0 ? [] : findPlanVersions(tx, accountId, versions);
}

/** Locks and returns the discounts that may lower these invoices of a customer, in order of redemption. */
async function lockDiscounts(
  tx: Transaction,
  accountId: string,
  { customerId, hasDiscounts }: Customer,
  wanted: readonly InvoiceToIssue[],
): Promise<ApplicableDiscount[]> {
  if (!hasDiscounts) return [];
  const billed = new Set(
    [...wanted, ...wanted.flatMap(chargesOf)].flatMap(({ subscriptionId }) => subscriptionId ?? []),
  );
  return listApplicableDiscounts(tx, accountId, [customerId], { lock: [...billed] });
}

/** The places of an invoice to be made. */
function placesIn(wanted: InvoiceToIssue): Place[] {
  const { subscriptionId, period } = wanted;
  const own = { subscriptionId, periodStart: period.startsAt, periodEnd: period.endsAt };
  return [own, ...chargesOf(wanted)];
}

/** All that becomes a line, or is one. */
function chargesOf(wanted: InvoiceToIssue) {
  const { fees, prepaid, usages, addons = [], prorations = [], late = [], trueUps = [], pending } = partOf(wanted);
  return [...fees, ...prepaid, ...usages, ...addons, ...prorations, ...late, ...trueUps, ...pending];
}
