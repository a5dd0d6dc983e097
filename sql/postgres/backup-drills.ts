import type { PublishedHead } from '../../billing/chain/chain.ts';
import { type Instant, isoFromInstant } from '../../core/instants.ts';
import { firstRow, type Pool, type Transaction } from './postgres.ts';

/** What a rehearsal has found: what is otherwise in the backup, of which account (null: of none), there and where the service runs. */
export type DrillFinding = { what: string; account_id: string | null; in_backup: string; running: string };

export type BackupDrill = { drilledAt: Instant; takenAt: string | null; findings: DrillFinding[] };

/** Keeps what a rehearsal has found. */
export async function insertDrill(pool: Pool, { drilledAt, takenAt, findings }: BackupDrill): Promise<void> {
  await pool.query('INSERT INTO backup_drills (drilled_at, taken_at, findings) VALUES ($1, $2, $3)', [
    isoFromInstant(drilledAt),
    takenAt,
    JSON.stringify(findings),
  ]);
}

/** Whether the newest rehearsal has failed; undefined where there was none. */
export async function loadDrillFailed(pool: Pool): Promise<boolean | undefined> {
  const sql = "SELECT findings <> '[]' AS failed FROM backup_drills ORDER BY drilled_at DESC LIMIT 1";
  return firstRow(await pool.query<{ failed: boolean }>(sql))?.failed;
}

/** When a rehearsal has passed last. */
export async function loadDrillPassedAt(pool: Pool): Promise<Instant | undefined> {
  const sql = "SELECT drilled_at AS at FROM backup_drills WHERE findings = '[]' ORDER BY drilled_at DESC LIMIT 1";
  return firstRow(await pool.query<{ at: Instant }>(sql))?.at;
}

/** An invoice of any account. */
export type InvoiceName = { accountId: string; invoiceId: string };

/** Invoices of every account, in the order of their keys, `limit` at a time. */
export async function listInvoicesAfter(tx: Transaction, after: InvoiceName, limit: number): Promise<InvoiceName[]> {
  const { rows } = await tx.query<InvoiceName>(
    `SELECT account_id AS "accountId", invoice_id AS "invoiceId" FROM invoices
     WHERE (account_id, invoice_id) > ($1, $2) ORDER BY account_id, invoice_id LIMIT $3`,
    [after.accountId, after.invoiceId, limit],
  );
  return rows;
}

/** What invoices come to, by account and currency: exact digits. */
export type InvoiceTotal = { accountId: string; currency: string; invoices: number; total: string };

/** The totals of these invoices, as far as they are there. */
export async function sumInvoices(tx: Transaction, names: readonly InvoiceName[]): Promise<InvoiceTotal[]> {
  const { rows } = await tx.query<InvoiceTotal>(
    `SELECT account_id AS "accountId", currency, count(*)::int AS invoices, sum(total)::text AS total
     FROM unnest($1::text[], $2::text[]) AS n (account_id, invoice_id) JOIN invoices USING (account_id, invoice_id)
     GROUP BY account_id, currency ORDER BY account_id, currency`,
    [names.map(({ accountId }) => accountId), names.map(({ invoiceId }) => invoiceId)],
  );
  return rows;
}

/** Accounts whose ledger is off zero, and by how much. */
export async function listLedgerImbalances(tx: Transaction): Promise<{ accountId: string; amount: string }[]> {
  const { rows } = await tx.query<{ accountId: string; amount: string }>(
    `SELECT account_id AS "accountId", sum(amount)::text AS amount FROM ledger_entries
     GROUP BY account_id HAVING sum(amount) <> 0 ORDER BY account_id`,
  );
  return rows;
}

/** Where the chain of each account ends. */
export async function listChainEnds(tx: Transaction): Promise<PublishedHead[]> {
  const { rows } = await tx.query<{ accountId: string; sequence: string; chainHash: string }>(
    `SELECT a.account_id AS "accountId", e.sequence, e.chain_hash AS "chainHash" FROM accounts a
     JOIN LATERAL (SELECT sequence, chain_hash FROM chain_entries c WHERE c.account_id = a.account_id ORDER BY sequence DESC LIMIT 1) e ON true
     ORDER BY a.account_id`,
  );
  return rows.map(({ sequence, ...end }) => ({ ...end, sequence: Number(sequence), publishedAt: 0 }));
}

/** Customers of every account who were deleted at or after this instant. */
export async function listCustomersDeletedSince(tx: Transaction, since: Instant) {
  const { rows } = await tx.query<{ accountId: string; customerId: string }>(
    'SELECT account_id AS "accountId", customer_id AS "customerId" FROM customers WHERE deleted_at >= $1',
    [isoFromInstant(since)],
  );
  return rows;
}
