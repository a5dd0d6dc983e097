import type { IssuedInvoice } from '../../../billing/invoices/invoice.ts';
import { type Decimal, decimal } from '../../../core/decimal.ts';
import { firstRow, type Transaction } from '../postgres.ts';
import {
  type InvoiceRow,
  invoiceFromRow,
  LISTED_COLUMNS,
  type ListedRow,
  OF_CUSTOMER,
  OF_PARTS,
  shownFromRow,
  WHOLE_COLUMNS,
} from './invoice-rows.ts';

const LISTED = `SELECT ${LISTED_COLUMNS} FROM invoices i ${OF_CUSTOMER} ${OF_PARTS} WHERE i.account_id = $1`;

/**
 * The invoice by id or by number, or undefined where this account has none of that name (spec/invoices#numbers). As in a list it comes
 * without members of more than 100 entries, such as its lines.
 */
export async function findInvoice(
  tx: Transaction,
  accountId: string,
  idOrNumber: string,
): Promise<IssuedInvoice | undefined> {
  const answer = await tx.query<ListedRow>(`${LISTED} AND (i.invoice_id = $2 OR i.invoice_number = $2)`, [
    accountId,
    idOrNumber,
  ]);
  const row = firstRow(answer);
  return row && shownFromRow(row);
}

/** As {@link findInvoice}, locking it until the transaction ends: payments and voids of it happen one after another. */
export async function lockInvoice(
  tx: Transaction,
  accountId: string,
  idOrNumber: string,
): Promise<IssuedInvoice | undefined> {
  await tx.query(
    'SELECT 1 FROM invoices WHERE account_id = $1 AND (invoice_id = $2 OR invoice_number = $2) FOR UPDATE',
    [accountId, idOrNumber],
  );
  return findInvoice(tx, accountId, idOrNumber);
}

/** As {@link findInvoice}, for one that must be there. Throws where it is not. */
export async function loadInvoice(tx: Transaction, accountId: string, invoiceId: string): Promise<IssuedInvoice> {
  const invoice = await findInvoice(tx, accountId, invoiceId);
  if (!invoice) throw new Error(`invoice ${invoiceId} is missing`);
  return invoice;
}

/** Those of these invoices that exist, each as {@link findInvoice} gives it. */
export async function findInvoices(
  tx: Transaction,
  accountId: string,
  invoiceIds: readonly string[],
): Promise<IssuedInvoice[]> {
  if (invoiceIds.length === 0) return [];
  const { rows } = await tx.query<ListedRow>(`${LISTED} AND i.invoice_id = ANY($2)`, [accountId, invoiceIds]);
  return rows.map(shownFromRow);
}

/** As {@link findInvoice}, with all of its lines, sections and held usage, however many they are. */
export async function findWholeInvoice(
  tx: Transaction,
  accountId: string,
  idOrNumber: string,
): Promise<IssuedInvoice | undefined> {
  const answer = await tx.query<InvoiceRow>(
    `SELECT ${WHOLE_COLUMNS} FROM invoices i ${OF_CUSTOMER}
     WHERE i.account_id = $1 AND (i.invoice_id = $2 OR i.invoice_number = $2)`,
    [accountId, idOrNumber],
  );
  const row = firstRow(answer);
  return row && invoiceFromRow(row);
}

/** As {@link findWholeInvoice}, those of these invoices that exist. */
export async function findWholeInvoices(
  tx: Transaction,
  accountId: string,
  invoiceIds: readonly string[],
): Promise<IssuedInvoice[]> {
  const { rows } = await tx.query<InvoiceRow>(
    `SELECT ${WHOLE_COLUMNS} FROM invoices i ${OF_CUSTOMER} WHERE i.account_id = $1 AND i.invoice_id = ANY($2)`,
    [accountId, invoiceIds],
  );
  return rows.map(invoiceFromRow);
}

/** The id of an invoice, by its id or number, and its customer's; undefined where this account has none of that name. */
export async function findInvoiceOwner(
  tx: Transaction,
  accountId: string,
  idOrNumber: string,
): Promise<{ invoiceId: string; customerId: string } | undefined> {
  const answer = await tx.query<{ invoice_id: string; customer_id: string }>(
    'SELECT invoice_id, customer_id FROM invoices WHERE account_id = $1 AND (invoice_id = $2 OR invoice_number = $2)',
    [accountId, idOrNumber],
  );
  const row = firstRow(answer);
  return row && { invoiceId: row.invoice_id, customerId: row.customer_id };
}

/** Locks invoices until the transaction ends, in the one order in which several of them are locked: by id. */
export async function lockInvoices(tx: Transaction, accountId: string, invoiceIds: string[]): Promise<void> {
  const sql = 'SELECT 1 FROM invoices WHERE account_id = $1 AND invoice_id = ANY($2) ORDER BY invoice_id FOR UPDATE';
  if (invoiceIds.length > 0) await tx.query(sql, [accountId, invoiceIds]);
}

/** What the invoice's document says besides its record: who issued it, and the zone its periods are dates in. */
export type InvoiceParties = { issuerName: string; timeZone: string };

/** As they were when the invoice was issued. */
export async function loadInvoiceParties(
  tx: Transaction,
  accountId: string,
  invoiceId: string,
): Promise<InvoiceParties> {
  const answer = await tx.query<{ issuer_name: string; issue_timezone: string }>(
    'SELECT issuer_name, issue_timezone FROM invoices WHERE account_id = $1 AND invoice_id = $2',
    [accountId, invoiceId],
  );
  const row = firstRow(answer);
  if (!row) throw new Error(`invoice ${invoiceId} is missing`);
  return { issuerName: row.issuer_name, timeZone: row.issue_timezone };
}

/** Sum of `amount_due` over open and uncollectible invoices, per customer (spec/customers#record). */
export async function sumAmountsDue(
  tx: Transaction,
  accountId: string,
  customerIds: string[],
): Promise<Map<string, Decimal>> {
  const { rows } = await tx.query<{ customer_id: string; due: string }>(
    `SELECT customer_id, sum(amount_due) AS due FROM invoices
     WHERE account_id = $1 AND customer_id = ANY($2) AND status IN ('open', 'uncollectible') GROUP BY customer_id`,
    [accountId, customerIds],
  );
  return new Map(rows.map((row) => [row.customer_id, decimal(row.due)]));
}
