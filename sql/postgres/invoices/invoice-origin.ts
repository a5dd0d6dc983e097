import { firstRow, type Transaction } from '../postgres.ts';

/**
 * What an invoice was made for: the call, else the subscription, its period and the kind. Where Postgres is restored from before an
 * invoice, the one that is made in its place has another id and the same origin. Throws where there is no such invoice.
 */
export async function loadInvoiceOrigin(tx: Transaction, accountId: string, invoiceId: string): Promise<string> {
  const answer = await tx.query<{ origin: string }>(
    `SELECT coalesce('call/' || operation_id, subscription_id || '/' || period_index || '/' || kind, invoice_id) AS origin
     FROM invoices WHERE account_id = $1 AND invoice_id = $2`,
    [accountId, invoiceId],
  );
  const row = firstRow(answer);
  if (!row) throw new Error(`invoice ${invoiceId} is missing`);
  return row.origin;
}
