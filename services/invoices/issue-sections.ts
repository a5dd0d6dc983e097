import { decideConsolidated } from '../../billing/decide/issue-consolidated.ts';
import type { Customer } from '../../billing/subscriptions/subscription.ts';
import type { Instant } from '../../core/instants.ts';
import { loadAccount } from '../../sql/postgres/accounts/accounts.ts';
import { listBilledTo } from '../../sql/postgres/customers/billed-to.ts';
import { lockCustomerForUpdate } from '../../sql/postgres/customers/customers.ts';
import { lockSections } from '../../sql/postgres/invoices/invoice-sections.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { listSchedulesDue } from '../../sql/postgres/subscriptions/schedules.ts';
import { loadKeyedPeriodsOf } from '../billing/record-invoices.ts';
import { withCharges } from '../billing/record-issued.ts';
import { saveChanges } from '../billing/save-changes.ts';
import { savedId } from '../billing/saved-ids.ts';
import { loadAgreed, lockCreditsLeft } from './issue-invoices.ts';

/** What waits for one invoice: of a payer and those billed to it, since an instant. */
export type SectionsRef = { accountId: string; payerId: string; dueAt: Instant };

/**
 * Issues the consolidated invoice of an instant, once all that is due of the payer and of those billed to it by then has been done
 * (spec/invoices#sections): the lock of the payer has this done one after another, so that each section is on one invoice, and an
 * invoice has all of its instant. Null where that is still to come, or nothing waits. `now`: real time.
 */
export async function issueSections(
  tx: Transaction,
  { accountId, payerId, dueAt }: SectionsRef,
  realNow: Instant,
): Promise<string | null> {
  const payer = await lockPayer(tx, accountId, payerId);
  if (!payer) return null;
  const due = await listSchedulesDue(tx, accountId, payer.customerIds, dueAt);
  if ([...due.values()].some(({ next }) => next !== null && next.dueAt <= dueAt)) return null;
  return issueThere(tx, { accountId, payerId, dueAt }, payer, realNow);
}

/** {@link issueSections} of those that are there, whatever else is still to come of their instant: that is on a further invoice. */
export async function issueSectionsThere(tx: Transaction, of: SectionsRef, realNow: Instant): Promise<string | null> {
  const payer = await lockPayer(tx, of.accountId, of.payerId);
  return payer && issueThere(tx, of, payer, realNow);
}

/** Who pays, locked, and whose sections are on its invoices. */
type Payer = { customer: Customer; customerIds: string[] };

async function lockPayer(tx: Transaction, accountId: string, payerId: string): Promise<Payer | null> {
  const customer = await lockCustomerForUpdate(tx, accountId, payerId);
  if (!customer) return null;
  return { customer, customerIds: [payerId, ...(await listBilledTo(tx, accountId, payerId))] };
}

async function issueThere(
  tx: Transaction,
  { accountId, payerId, dueAt }: SectionsRef,
  { customer: payer, customerIds }: Payer,
  realNow: Instant,
): Promise<string | null> {
  const sections = await lockSections(tx, accountId, customerIds, dueAt);
  const stepsDone = [{ kind: 'issue_sections', payerId, dueAt }] as const;
  if (sections.length === 0) {
    await saveChanges(tx, accountId, { stepsDone });
    return null;
  }
  const places = sections.flatMap((section) => [section, ...section.lines]);
  const [account, periods] = await Promise.all([loadAccount(tx, accountId), loadKeyedPeriodsOf(tx, accountId, places)]);
  const credits = await lockCreditsLeft(tx, accountId, payer);
  const lines = sections.flatMap((section) => section.lines);
  const agreedPlans = await loadAgreed(tx, accountId, lines);
  const now = payer.clockTime ?? realNow;
  const input = { account, payer, credits, agreedPlans, now, by: { dueAt } };
  const { changes, invoiceId } = decideConsolidated(input, sections);
  const charged = await withCharges(tx, accountId, { ...changes, stepsDone }, { hasDiscounts: true, periods });
  const ids = await saveChanges(tx, accountId, charged);
  return savedId(ids, invoiceId);
}
