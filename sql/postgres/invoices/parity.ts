import type { CheckedField, InvoiceDifference } from '../../../billing/invoices/check-invoice.ts';
import { decimal } from '../../../core/decimal.ts';
import type { Instant } from '../../../core/instants.ts';
import { findPage, type PageOf, type PageWindow } from '../page-window.ts';
import { acrossAccounts, firstRow, type Pool, type Transaction } from '../postgres.ts';

/** A difference that the last check of its invoice found. */
export type ParityEntry = InvoiceDifference & { invoiceId: string; invoiceNumber: string; foundAt: Instant };

/** Every account, in the order of their ids, `limit` at a time; `after` is the last one seen. */
export async function listAccountIdsAfter(pool: Pool, after: string, limit: number): Promise<string[]> {
  const sql = 'SELECT account_id FROM accounts WHERE account_id > $1 ORDER BY account_id LIMIT $2';
  const { rows } = await acrossAccounts(pool, (tx) => tx.query<{ account_id: string }>(sql, [after, limit]));
  return rows.map((row) => row.account_id);
}

/** At most `limit` of an account's invoices by chance: another `seed` gives others. All of them where there are no more. */
export async function sampleInvoiceIds(
  tx: Transaction,
  accountId: string,
  seed: number,
  limit: number,
): Promise<string[]> {
  const { rows } = await tx.query<{ invoice_id: string }>(
    'SELECT invoice_id FROM invoices WHERE account_id = $1 ORDER BY hashtextextended(invoice_id, $2) LIMIT $3',
    [accountId, seed, limit],
  );
  return rows.map((row) => row.invoice_id);
}

/** Those of the customers that have been deleted: their events are erased, so nothing can be counted again. */
export async function findDeletedCustomers(
  tx: Transaction,
  accountId: string,
  customerIds: readonly string[],
): Promise<Set<string>> {
  const sql =
    'SELECT customer_id FROM customers WHERE account_id = $1 AND customer_id = ANY($2) AND deleted_at IS NOT NULL';
  const { rows } = await tx.query<{ customer_id: string }>(sql, [accountId, customerIds]);
  return new Set(rows.map((row) => row.customer_id));
}

/** What a check of an invoice has found takes the place of what an earlier one had; when it was first found stays. */
export async function replaceDifferences(
  tx: Transaction,
  accountId: string,
  invoiceId: string,
  found: readonly InvoiceDifference[],
): Promise<void> {
  const keys = found.map(({ lineId, field }) => `${lineId ?? ''} ${field}`);
  await tx.query(
    `DELETE FROM parity_differences
     WHERE account_id = $1 AND invoice_id = $2 AND NOT (line_id || ' ' || field = ANY ($3))`,
    [accountId, invoiceId, keys],
  );
  for (const { lineId, field, billed, recomputed } of found) {
    await tx.query(
      `INSERT INTO parity_differences (account_id, invoice_id, line_id, field, billed, recomputed)
       VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (account_id, invoice_id, line_id, field)
       DO UPDATE SET billed = excluded.billed, recomputed = excluded.recomputed`,
      [accountId, invoiceId, lineId ?? '', field, billed.toFixed(), recomputed.toFixed()],
    );
  }
}

/** One page of an account's differences, newest first. */
export function listDifferences(tx: Transaction, accountId: string, window: PageWindow): Promise<PageOf<ParityEntry>> {
  const joins = 'JOIN invoices i ON i.account_id = d.account_id AND i.invoice_id = d.invoice_id';
  const select = 'd.invoice_id, i.invoice_number, d.line_id, d.field, d.billed, d.recomputed, d.found_at';
  const list = { select, table: ['parity_differences', 'd'], joins } as const;
  return findPage(tx, { ...list, equals: { account_id: accountId } }, window, entryFromRow);
}

/** How many differences there are in all accounts. */
export async function countDifferences(pool: Pool): Promise<number> {
  const sql = 'SELECT count(*)::integer AS count FROM parity_differences';
  return firstRow(await acrossAccounts(pool, (tx) => tx.query<{ count: number }>(sql)))?.count ?? 0;
}

type ParityRow = {
  invoice_id: string;
  invoice_number: string;
  line_id: string;
  field: CheckedField;
  billed: string;
  recomputed: string;
  found_at: Instant;
};

function entryFromRow(row: ParityRow): ParityEntry {
  return {
    invoiceId: row.invoice_id,
    invoiceNumber: row.invoice_number,
    lineId: row.line_id === '' ? null : row.line_id,
    field: row.field,
    billed: decimal(row.billed),
    recomputed: decimal(row.recomputed),
    foundAt: row.found_at,
  };
}
