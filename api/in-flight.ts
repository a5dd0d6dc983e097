import { conflict } from '../billing/domain-error.ts';
import type { IssuedInvoice } from '../billing/invoice.ts';
import { hasLiveAttempt } from '../sql/payment-attempts.ts';
import type { Transaction } from '../sql/postgres.ts';

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
