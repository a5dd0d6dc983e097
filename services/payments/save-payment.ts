import { decidePayment } from '../../billing/decide/pay-invoice.ts';
import type { IssuedInvoice } from '../../billing/invoices/invoice.ts';
import type { NewPayment } from '../../billing/invoices/pay-invoice.ts';
import type { Instant } from '../../core/instants.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { saveChanges } from '../billing/save-changes.ts';

/**
 * Saves that all that is due of an invoice, which is locked, was paid, and publishes it; `at` is the customer's time. Returns the
 * invoice after it.
 * @throws DomainError `conflict` where the invoice is neither open nor uncollectible.
 */
export async function savePayment(
  tx: Transaction,
  accountId: string,
  before: IssuedInvoice,
  received: NewPayment & { paymentId: string },
  at: Instant,
): Promise<IssuedInvoice> {
  const { invoice, changes } = decidePayment(before, received, at);
  await saveChanges(tx, accountId, changes);
  return invoice;
}
