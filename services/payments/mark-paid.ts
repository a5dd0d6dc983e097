import { newId } from '../../core/ids.ts';
import type { Instant } from '../../core/instants.ts';
import { type AnswerRoom, fixedRoom } from '../../sql/postgres/page-window.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { type InvoiceMarkPaid, invoiceToWire } from '../../wire/invoices.ts';
import type { Audited } from '../audit/audited.ts';
import { prepareInvoice, type ShownInvoice } from '../invoices/lines/show-invoice.ts';
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
  { now, room = fixedRoom() }: { now: Instant; room?: AnswerRoom },
): Promise<Audited<ShownInvoice>> {
  const { invoice, at } = await lockInvoiceForChange(tx, accountId, idOrNumber, now);
  const show = await prepareInvoice(tx, accountId, invoice, room);
  await assertNotInFlight(tx, accountId, invoice);
  const received = { paymentId: newId('pay'), method: 'manual', reference, paidAt: paidAt ?? at };
  const paid = await savePayment(tx, accountId, invoice, received, at);
  return { before: invoiceToWire(invoice), after: invoiceToWire(paid), answer: await show(paid) };
}
