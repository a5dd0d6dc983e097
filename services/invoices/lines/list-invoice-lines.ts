import type { InvoiceLine } from '../../../billing/invoices/invoice.ts';
import { notFound } from '../../../core/domain-error.ts';
import { findInvoiceOwner } from '../../../sql/postgres/invoices/invoices.ts';
import { listInvoiceLines } from '../../../sql/postgres/invoices/shown-invoices.ts';
import type { PageOf, PageWindow } from '../../../sql/postgres/page-window.ts';
import type { Transaction } from '../../../sql/postgres/postgres.ts';

/** One page of the lines of an invoice, named by its id or number, and whose it is. @throws DomainError `not_found` */
export async function listLines(
  tx: Transaction,
  { accountId, invoiceId: idOrNumber }: { accountId: string; invoiceId: string },
  window: PageWindow,
): Promise<PageOf<{ line: InvoiceLine; customerId: string }>> {
  const owner = await findInvoiceOwner(tx, accountId, idOrNumber);
  if (!owner) throw notFound(`invoice ${idOrNumber}`);
  const page = await listInvoiceLines(tx, accountId, owner.invoiceId, window);
  return { ...page, results: page.results.map((line) => ({ line, customerId: owner.customerId })) };
}
