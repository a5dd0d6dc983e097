import { newId } from '../../core/ids.ts';
import type { Instant } from '../../core/instants.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { type InvoiceMarkPaid, type InvoiceWire, invoiceToWire } from '../../wire/invoices.ts';
import { type Audited, changed } from '../audit/audited.ts';
import { lockInvoiceForChange } from '../lock-for-change.ts';
import { assertNotInFlight } from './assert-not-in-flight.ts';
import { savePayment } from './save-payment.ts';

/**
 * Records that the caller has collected what is due of an invoice, named by its id or its number.
 * @throws DomainError `not_found`; `conflict` where nothing is due or a processor is collecting it, and while a test clock advances.
 */
export async function markPaid(
  tx: Transaction,
  accountId: string,
  idOrNumber: string,
  { reference, paid_at: paidAt }: InvoiceMarkPaid,
  now: Instant,
): Promise<Audited<InvoiceWire>> {
  const { invoice, at } = await lockInvoiceForChange(tx, accountId, idOrNumber, now);
  await assertNotInFlight(tx, accountId, invoice);
  const received = { paymentId: newId('pay'), method: 'manual', reference, paidAt: paidAt ?? at };
  return changed(invoiceToWire(invoice), invoiceToWire(await savePayment(tx, accountId, invoice, received, at)));
}
