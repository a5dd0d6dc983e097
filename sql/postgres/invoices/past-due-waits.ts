import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import { lookAcrossAccounts, type Pool, type Transaction } from '../postgres.ts';

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

/** Forgets that invoices wait until they are past due. */
export async function deletePastDueWaits(
  tx: Transaction,
  accountId: string,
  invoiceIds: readonly string[],
): Promise<void> {
  if (invoiceIds.length === 0) return;
  const sql = 'DELETE FROM past_due_waits WHERE account_id = $1 AND invoice_id = ANY($2)';
  await tx.query(sql, [accountId, invoiceIds]);
}

/** Returns those of the invoices that wait until they are past due. */
export async function findPastDueWaits(
  tx: Transaction,
  accountId: string,
  invoiceIds: readonly string[],
): Promise<string[]> {
  const { rows } = await tx.query<{ invoice_id: string }>(
    'SELECT invoice_id FROM past_due_waits WHERE account_id = $1 AND invoice_id = ANY($2)',
    [accountId, invoiceIds],
  );
  return rows.map((row) => row.invoice_id);
}

/** Waits that one look for accounts reads, the longest over first. */
const OLDEST = 1_000;

/** Returns accounts of invoices whose wait is over by Postgres' clock, without those of `except`. The others follow in a later look. */
export async function listAccountsPastDue(pool: Pool, except: readonly string[]): Promise<string[]> {
  const { rows } = await lookAcrossAccounts<{ account_id: string }>(
    pool,
    `SELECT DISTINCT account_id FROM (
       SELECT account_id FROM past_due_waits WHERE due_at <= now() AND account_id <> ALL($1) ORDER BY due_at LIMIT $2
     ) oldest`,
    [except, OLDEST],
  );
  return rows.map((row) => row.account_id);
}

/** Returns the account's invoices whose wait is over by Postgres' clock, which decides about a customer's day, too; the longest over first. */
export async function listPastDue(tx: Transaction, accountId: string, limit: number): Promise<string[]> {
  const { rows } = await tx.query<{ invoice_id: string }>(
    'SELECT invoice_id FROM past_due_waits WHERE account_id = $1 AND due_at <= now() ORDER BY due_at LIMIT $2',
    [accountId, limit],
  );
  return rows.map((row) => row.invoice_id);
}
