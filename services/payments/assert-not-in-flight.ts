import type { IssuedInvoice } from '../../billing/invoices/invoice.ts';
import { conflict } from '../../core/domain-error.ts';
import { hasLiveAttempt } from '../../sql/postgres/payments/payment-attempts.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';

/** @throws DomainError `conflict` while a processor may take money for the invoice, which is locked. */
export async function assertNotInFlight(
  tx: Transaction,
  accountId: string,
  { invoiceId, status }: IssuedInvoice,
): Promise<void> {
  if (await hasLiveAttempt(tx, accountId, invoiceId)) {
    throw conflict(`The invoice is ${status} and a payment of it is in flight.`);
  }
}
