import type { IssuedInvoice } from '../../../billing/invoices/invoice.ts';
import { notFound } from '../../../core/domain-error.ts';
import { LeftOut } from '../../../core/left-out.ts';
import type { JsonText } from '../../../runtime/exact-json.ts';
import { writeEntries } from '../../../runtime/written-entries.ts';
import {
  listHeldInParts,
  listLinesInParts,
  listSectionsInParts,
  sumInvoiceBytes,
} from '../../../sql/postgres/invoices/invoice-parts.ts';
import { findInvoice } from '../../../sql/postgres/invoices/invoices.ts';
import type { AnswerRoom } from '../../../sql/postgres/page-window.ts';
import type { Transaction } from '../../../sql/postgres/postgres.ts';
import { heldToWire } from '../../../wire/catalog/held-usage.ts';
import { lineToWire } from '../../../wire/invoice-lines.ts';
import { type InvoiceWire, invoiceToWire, sectionToWire } from '../../../wire/invoices.ts';

const MEMBERS = ['lines', 'sections', 'held'] as const;
type Member = (typeof MEMBERS)[number];

/** An invoice as the API answers it. Its large members are the texts of their entries. */
export type ShownInvoice = Omit<InvoiceWire, Member> & { [M in Member]: InvoiceWire[M] | JsonText[] };

/**
 * Prepares to answer an invoice, which was read without its large members, as it is retrieved: with those members if all of it fits into
 * an answer (spec/api#large-members). A change does so before it changes anything: a large invoice waits for room.
 */
export async function prepareInvoice(
  tx: Transaction,
  accountId: string,
  invoice: IssuedInvoice,
  room: AnswerRoom,
): Promise<(changed: IssuedInvoice) => Promise<ShownInvoice>> {
  const left = MEMBERS.filter((member) => invoice[member] instanceof LeftOut);
  if (left.length === 0) return async (changed) => invoiceToWire(changed);
  const bytes = await sumInvoiceBytes(tx, accountId, invoice.invoiceId);
  if (bytes > room.bytes) room.needMore();
  if (bytes > room.mostBytes) return async (changed) => invoiceToWire(changed);
  return async (changed) => {
    const shown: ShownInvoice = invoiceToWire(changed);
    for (const member of left) {
      const entries = await writeEntries(entriesOf(tx, accountId, invoice, member), room.mostBytes);
      if (entries) shown[member] = entries;
    }
    return shown;
  };
}

/** Returns an invoice, named by its id or its number, as it is retrieved. @throws DomainError `not_found` */
export async function loadShownInvoice(
  tx: Transaction,
  accountId: string,
  idOrNumber: string,
  room: AnswerRoom,
): Promise<ShownInvoice> {
  const invoice = await findInvoice(tx, accountId, idOrNumber);
  if (!invoice) throw notFound(`invoice ${idOrNumber}`);
  const show = await prepareInvoice(tx, accountId, invoice, room);
  return show(invoice);
}

/** All entries of a member that was left out, part by part. They never change once the invoice is issued. */
function entriesOf(
  tx: Transaction,
  accountId: string,
  { invoiceId, customerId }: IssuedInvoice,
  member: Member,
): AsyncIterable<readonly unknown[]> {
  switch (member) {
    case 'lines':
      return listLinesInParts(tx, accountId, invoiceId, (line) => lineToWire(line, customerId));
    case 'sections':
      return listSectionsInParts(tx, accountId, invoiceId, sectionToWire);
    case 'held':
      return listHeldInParts(tx, accountId, invoiceId, heldToWire);
  }
}
