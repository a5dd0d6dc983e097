import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import type { Pool, Transaction } from '../postgres.ts';

export type InvoiceKey = { accountId: string; invoiceId: string };

/** Has an invoice wait until it is past due, or wait until another instant. */
export async function upsertPastDueWait(
  tx: Transaction,
  { accountId, invoiceId }: InvoiceKey,
  dueAt: Instant,
): Promise<void> {
  await tx.query(
    `INSERT INTO past_due_waits (account_id, invoice_id, due_at) VALUES ($1, $2, $3)
     ON CONFLICT (account_id, invoice_id) DO UPDATE SET due_at = excluded.due_at`,
    [accountId, invoiceId, isoFromInstant(dueAt)],
  );
}

/** Whether the invoice has waited. */
export async function deletePastDueWait(tx: Transaction, { accountId, invoiceId }: InvoiceKey): Promise<boolean> {
  const deleted = await tx.query('DELETE FROM past_due_waits WHERE account_id = $1 AND invoice_id = $2', [
    accountId,
    invoiceId,
  ]);
  return (deleted.rowCount ?? 0) > 0;
}

/** Invoices whose wait is over by Postgres' clock, which their customers' day is told from, too; the longest over first. */
export async function listPastDue(pool: Pool, limit: number): Promise<InvoiceKey[]> {
  const answer = await pool.query<{ account_id: string; invoice_id: string }>(
    'SELECT account_id, invoice_id FROM past_due_waits WHERE due_at <= now() ORDER BY due_at LIMIT $1',
    [limit],
  );
  return answer.rows.map((row) => ({ accountId: row.account_id, invoiceId: row.invoice_id }));
}
