import { firstRow, type Transaction } from '../postgres.ts';

/** An invoice with its kept document; `pdf` is null if none is kept of its present `state`. */
export type InvoiceDocument = { invoiceId: string; invoiceNumber: string; state: string; pdf: Buffer | null };

/**
 * A hash of what the document of an invoice `i` shows and what may change after the issue. Everything else of it is fixed
 * (spec/invoices#record).
 */
const STATE = `encode(sha256(convert_to(jsonb_build_array(
    i.status, i.credits_applied, i.amount_paid, i.amount_refunded, i.amount_due,
    extract(epoch FROM i.paid_at), extract(epoch FROM i.voided_at),
    (SELECT jsonb_agg(jsonb_build_array(p.method, p.amount, p.reference, extract(epoch FROM p.paid_at))
       ORDER BY p.created_at, p.payment_id)
     FROM payments p WHERE p.account_id = i.account_id AND p.invoice_id = i.invoice_id)
  )::text, 'UTF8')), 'hex')`;

/** Finds the document of an invoice, which is named by its id or its number; undefined if the account has no such invoice. */
export async function findInvoiceDocument(
  tx: Transaction,
  accountId: string,
  idOrNumber: string,
): Promise<InvoiceDocument | undefined> {
  const answer = await tx.query<{ invoice_id: string; invoice_number: string; state: string; pdf: Buffer | null }>(
    `SELECT i.invoice_id, i.invoice_number, i.state, d.pdf
     FROM (SELECT i.account_id, i.invoice_id, i.invoice_number, ${STATE} AS state FROM invoices i
           WHERE i.account_id = $1 AND (i.invoice_id = $2 OR i.invoice_number = $2)) i
     LEFT JOIN invoice_documents d ON d.account_id = i.account_id AND d.invoice_id = i.invoice_id AND d.state = i.state`,
    [accountId, idOrNumber],
  );
  const row = firstRow(answer);
  return row && { invoiceId: row.invoice_id, invoiceNumber: row.invoice_number, state: row.state, pdf: row.pdf };
}

/**
 * Keeps a document in the place of the one of another state. Keeps nothing if the customer has been deleted, or is being
 * changed at this moment: a document is not worth waiting for a lock.
 */
export async function saveInvoiceDocument(
  tx: Transaction,
  accountId: string,
  { invoiceId, state, pdf }: Pick<InvoiceDocument, 'invoiceId' | 'state'> & { pdf: Uint8Array },
): Promise<void> {
  await tx.query(
    `INSERT INTO invoice_documents AS d (account_id, invoice_id, state, pdf, bytes)
     SELECT i.account_id, i.invoice_id, $3, $4, length($4::bytea)
     FROM invoices i JOIN customers c ON c.account_id = i.account_id AND c.customer_id = i.customer_id
     WHERE i.account_id = $1 AND i.invoice_id = $2 AND c.deleted_at IS NULL
     FOR KEY SHARE OF c SKIP LOCKED
     ON CONFLICT (account_id, invoice_id) DO UPDATE SET state = excluded.state, pdf = excluded.pdf, bytes = excluded.bytes,
       kept_at = now() WHERE d.state <> excluded.state`,
    [accountId, invoiceId, state, Buffer.from(pdf)],
  );
}

/** Deletes the documents of an account that were kept first, so that the others have at most `mostBytes`. */
export async function deleteOldestDocuments(tx: Transaction, accountId: string, mostBytes: number): Promise<void> {
  await tx.query(
    `DELETE FROM invoice_documents d USING (
       SELECT invoice_id, sum(bytes) OVER (ORDER BY kept_at DESC, invoice_id) AS up_to_here
       FROM invoice_documents WHERE account_id = $1
     ) k WHERE d.account_id = $1 AND d.invoice_id = k.invoice_id AND k.up_to_here > $2`,
    [accountId, mostBytes],
  );
}

/** Deletes the documents of a customer's invoices: they name the customer. */
export async function deleteCustomerDocuments(tx: Transaction, accountId: string, customerId: string): Promise<void> {
  await tx.query(
    `DELETE FROM invoice_documents d USING invoices i
     WHERE d.account_id = $1 AND i.account_id = $1 AND i.invoice_id = d.invoice_id AND i.customer_id = $2`,
    [accountId, customerId],
  );
}
