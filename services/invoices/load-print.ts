import { notFound } from '../../core/domain-error.ts';
import { findInvoice, loadInvoiceParties } from '../../sql/postgres/invoices/invoices.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';

/** An invoice, named by its id or its number, with both parties as its document names them. @throws DomainError `not_found` */
export async function loadPrint(tx: Transaction, accountId: string, idOrNumber: string) {
  const invoice = await findInvoice(tx, accountId, idOrNumber);
  if (!invoice) throw notFound(`invoice ${idOrNumber}`);
  return { invoice, ...(await loadInvoiceParties(tx, accountId, invoice.invoiceId)) };
}
