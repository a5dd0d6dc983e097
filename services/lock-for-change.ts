import type { Refund } from '../billing/credits/refunds.ts';
import type { IssuedInvoice } from '../billing/invoices/invoice.ts';
import type { Customer } from '../billing/subscriptions/subscription.ts';
import { notFound } from '../core/domain-error.ts';
import { type Instant, type LocalDate, localDateAt } from '../core/instants.ts';
import { lockCredit } from '../sql/postgres/credits/credit-changes.ts';
import type { DatedCredit } from '../sql/postgres/credits/credits.ts';
import { lockRefund } from '../sql/postgres/credits/refunds.ts';
import { loadCustomer } from '../sql/postgres/customers/customers.ts';
import { lockInvoice } from '../sql/postgres/invoices/invoices.ts';
import type { Transaction } from '../sql/postgres/postgres.ts';
import { assertClockReady } from '../sql/postgres/subscriptions/test-clocks.ts';

/** Whom a change concerns, and when it happens in that customer's time: the instant, and the date in its zone. */
export type Change = { customer: Customer; at: Instant; today: LocalDate };

// Locks are taken in one order everywhere: a subscription, its usage watermarks, who pays where a section is issued or named, invoices (by
// id), sections, the credits of who pays and of who was billed (by customer), what waits for an invoice, its discounts, charges that go back (in order of issue), the account's invoice number. What bills several boundaries, one
// after another, takes those of all before the first credits (invoices/lock-charged.ts). Discounts that a switch takes along are locked with their
// subscription. A deletion takes all subscriptions of its customer before the customer, who may have been the one who pays. Clocks are only shared here, and may
// come at any place.

/**
 * The invoice of that id or number, held until the transaction ends.
 * @throws DomainError `not_found`; `conflict` while its customer's test clock advances (spec/test-clocks#advance).
 */
export async function lockInvoiceForChange(
  tx: Transaction,
  accountId: string,
  idOrNumber: string,
  now: Instant,
): Promise<Change & { invoice: IssuedInvoice }> {
  const invoice = await lockInvoice(tx, accountId, idOrNumber);
  if (!invoice) throw notFound(`invoice ${idOrNumber}`);
  return { invoice, ...(await loadChange(tx, accountId, invoice.customerId, now)) };
}

/** The refund, held with its invoice until the transaction ends. Throws as {@link lockInvoiceForChange}. */
export async function lockRefundForChange(
  tx: Transaction,
  accountId: string,
  refundId: string,
  now: Instant,
): Promise<Change & { refund: Refund }> {
  const refund = await lockRefund(tx, accountId, refundId);
  if (!refund) throw notFound(`refund ${refundId}`);
  return { refund, ...(await loadChange(tx, accountId, refund.customerId, now)) };
}

/** The credit, held until the transaction ends. Throws as {@link lockInvoiceForChange}. */
export async function lockCreditForChange(
  tx: Transaction,
  accountId: string,
  creditId: string,
  now: Instant,
): Promise<Change & { credit: DatedCredit }> {
  const credit = await lockCredit(tx, accountId, creditId);
  if (!credit) throw notFound(`credit ${creditId}`);
  return { credit, ...(await loadChange(tx, accountId, credit.customerId, now)) };
}

async function loadChange(tx: Transaction, accountId: string, customerId: string, now: Instant): Promise<Change> {
  const customer = await loadCustomer(tx, accountId, customerId);
  const at = (await assertClockReady(tx, accountId, customer.testClockId)) ?? now;
  return { customer, at, today: localDateAt(at, customer.timeZone) };
}
