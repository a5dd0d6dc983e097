import { notFound } from '../../core/domain-error.ts';
import {
  deleteOldestDocuments,
  findInvoiceDocument,
  type InvoiceDocument,
  saveInvoiceDocument,
} from '../../sql/postgres/invoices/invoice-documents.ts';
import { findWholeInvoice, loadInvoiceParties } from '../../sql/postgres/invoices/invoices.ts';
import { inSnapshot, inTransaction, type Pool, type Transaction } from '../../sql/postgres/postgres.ts';
import type { InvoiceRef } from '../references.ts';

/** A larger document is rendered anew each time. */
const LARGEST_KEPT_BYTES = 2 << 20;

/** An invoice, with both parties as its document names them. */
type Print = Awaited<ReturnType<typeof loadPrint>>;

/** Finds the kept document of an invoice, which is named by its id or its number. @throws DomainError `not_found` */
export async function findPdf(tx: Transaction, accountId: string, idOrNumber: string): Promise<InvoiceDocument> {
  const found = await findInvoiceDocument(tx, accountId, idOrNumber);
  if (!found) throw notFound(`invoice ${idOrNumber}`);
  return found;
}

type PdfDependencies = {
  postgres: Pool;
  render(print: Print): Promise<Uint8Array>;
  /** Bytes of documents that an account keeps; the oldest go first. */
  mostKeptBytes: number;
};

/**
 * Returns the document of an invoice: the bytes that are kept, or new ones, which are kept from then on.
 * @throws DomainError `not_found`
 */
export async function makePdf(
  { postgres, render, mostKeptBytes }: PdfDependencies,
  { accountId, invoiceId }: InvoiceRef,
): Promise<Uint8Array> {
  const { kept, print } = await inSnapshot(postgres, accountId, async (tx) => {
    const kept = await findPdf(tx, accountId, invoiceId);
    // Somebody else may have had it rendered while this call waited for its turn.
    return { kept, print: kept.pdf ? undefined : await loadPrint(tx, accountId, invoiceId) };
  });
  if (kept.pdf || !print) return kept.pdf ?? Buffer.alloc(0);
  const pdf = await render(print);
  if (pdf.length > LARGEST_KEPT_BYTES) return pdf;
  return inTransaction(postgres, accountId, async (tx) => {
    await saveInvoiceDocument(tx, accountId, { ...kept, pdf });
    await deleteOldestDocuments(tx, accountId, mostKeptBytes);
    // Another process may have been first, and what is kept is what everybody gets.
    return (await findPdf(tx, accountId, invoiceId)).pdf ?? pdf;
  });
}

/** @throws DomainError `not_found` */
async function loadPrint(tx: Transaction, accountId: string, invoiceId: string) {
  const invoice = await findWholeInvoice(tx, accountId, invoiceId);
  if (!invoice) throw notFound(`invoice ${invoiceId}`);
  return { invoice, ...(await loadInvoiceParties(tx, accountId, invoiceId)) };
}
