import { nextInvoiceStatus } from '../../billing/subscriptions/states.ts';
import type { Instant } from '../../core/instants.ts';
import { type AnswerRoom, fixedRoom } from '../../sql/postgres/page-window.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { invoiceToWire } from '../../wire/invoices.ts';
import type { Audited } from '../audit/audited.ts';
import { saveChanges } from '../billing/save-changes.ts';
import { prepareInvoice, type ShownInvoice } from '../invoices/lines/show-invoice.ts';
import { lockInvoiceForChange } from '../lock-for-change.ts';
import { assertNotInFlight } from './assert-not-in-flight.ts';

/**
 * Gives up collecting an open invoice, named by its id or its number; it stays due.
 * @throws DomainError `not_found`; `conflict` unless it is open and no processor collects it, and while a test clock advances.
 */
export async function markUncollectible(
  tx: Transaction,
  accountId: string,
  idOrNumber: string,
  { now, room = fixedRoom() }: { now: Instant; room?: AnswerRoom },
): Promise<Audited<ShownInvoice>> {
  const { invoice } = await lockInvoiceForChange(tx, accountId, idOrNumber, now);
  const show = await prepareInvoice(tx, accountId, invoice, room);
  await assertNotInFlight(tx, accountId, invoice);
  const marked = { ...invoice, status: nextInvoiceStatus(invoice.status, 'mark_uncollectible') };
  await saveChanges(tx, accountId, { invoicesChanged: [marked] });
  return { before: invoiceToWire(invoice), after: invoiceToWire(marked), answer: await show(marked) };
}
