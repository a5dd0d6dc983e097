import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import type { Pool, Transaction } from '../postgres.ts';

export type InvoiceKey = { accountId: string; invoiceId: string };

/** Has invoices of an account wait until they are past due, or wait until another instant. */
export async function upsertPastDueWaits(
  tx: Transaction,
  accountId: string,
  waits: readonly { invoiceId: string; dueAt: Instant }[],
): Promise<void> {
  if (waits.length === 0) return;
  await tx.query(
    `INSERT INTO past_due_waits (account_id, invoice_id, due_at) SELECT $1, * FROM unnest($2::text[], $3::timestamptz[])
     ON CONFLICT (account_id, invoice_id) DO UPDATE SET due_at = excluded.due_at`,
    [accountId, waits.map(({ invoiceId }) => invoiceId), waits.map(({ dueAt }) => isoFromInstant(dueAt))],
  );
}

/** These invoices wait no longer; answers which of them have waited. */
export async function deletePastDueWaits(
  tx: Transaction,
  accountId: string,
  invoiceIds: readonly string[],
): Promise<string[]> {
  const { rows } = await tx.query<{ invoice_id: string }>(
    'DELETE FROM past_due_waits WHERE account_id = $1 AND invoice_id = ANY($2) RETURNING invoice_id',
    [accountId, invoiceIds],
  );
  return rows.map((row) => row.invoice_id);
}

/** Invoices whose wait is over by Postgres' clock, which their customers' day is told from, too; the longest over first. */
export async function listPastDue(pool: Pool, limit: number): Promise<InvoiceKey[]> {
  const answer = await pool.query<{ account_id: string; invoice_id: string }>(
    'SELECT account_id, invoice_id FROM past_due_waits WHERE due_at <= now() ORDER BY due_at LIMIT $1',
    [limit],
  );
  return answer.rows.map((row) => ({ accountId: row.account_id, invoiceId: row.invoice_id }));
}
