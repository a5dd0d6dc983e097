import { computeConsolidated } from '../../billing/invoices/consolidated-invoice.ts';
import type { Customer } from '../../billing/subscriptions/subscription.ts';
import { type Instant, localDateAt } from '../../core/instants.ts';
import { loadAccount } from '../../sql/postgres/accounts/accounts.ts';
import { listCreditsWithRemainder, lockCredits } from '../../sql/postgres/credits/credits.ts';
import { listBilledTo } from '../../sql/postgres/customers/billed-to.ts';
import { lockCustomerForUpdate } from '../../sql/postgres/customers/customers.ts';
import { clearSteps } from '../../sql/postgres/due-steps.ts';
import { lockSections, updateSectionsInvoiced } from '../../sql/postgres/invoices/invoice-sections.ts';
import { insertLineCounts } from '../../sql/postgres/invoices/line-counts.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { listSchedulesDue } from '../../sql/postgres/subscriptions/schedules.ts';
import { sectionsSubject } from './hold-sections.ts';
import { saveConsolidated } from './issue-invoices.ts';

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
  await clearSteps(tx, { accountId, subjects: [sectionsSubject(payerId, dueAt)] });
  if (sections.length === 0) return null;
  const account = await loadAccount(tx, accountId);
  await lockCredits(tx, accountId, [payerId]);
  const credits = await listCreditsWithRemainder(tx, accountId, [payerId]);
  const now = payer.clockTime ?? realNow;
  const today = localDateAt(now, payer.timeZone);
  const consolidated = computeConsolidated(sections, { ...payer, credits, today });
  const invoice = await saveConsolidated(tx, { account, customer: payer, now, by: { dueAt } }, consolidated);
  const { invoiceId } = invoice;
  await updateSectionsInvoiced(
    tx,
    accountId,
    sections.map(({ seq }) => seq),
    invoiceId,
  );
  await insertLineCounts(tx, accountId, [{ invoice, counts: sections.flatMap(({ counts }) => counts) }]);
  return invoiceId;
}
