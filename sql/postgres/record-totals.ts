import { firstRow, lookAcrossAccounts, type Pool } from './postgres.ts';

/** Figures over all accounts, for the operator (spec/service#metrics); as floats, since Prometheus has nothing else. */

/** Invoices issued so far, by the counters that number them. */
export async function loadInvoicesIssued(pool: Pool): Promise<number> {
  const answer = await pool.query<{ issued: string }>(
    'SELECT coalesce(sum(last_number), 0) AS issued FROM invoice_counters',
  );
  return Number(firstRow(answer)?.issued);
}

/** Attempts so far to collect an invoice through a processor. */
export async function loadPaymentAttempts(pool: Pool): Promise<number> {
  // By the sequence that numbers them: to count them would take longer with each of them.
  const sql = `SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence('payment_attempts', 'seq')), 0) AS attempts`;
  return Number(firstRow(await pool.query<{ attempts: string }>(sql))?.attempts);
}

/** By how much ledger transactions are off zero in all: anything but 0 is a bug. Reads the whole ledger. */
export async function loadLedgerImbalance(pool: Pool): Promise<number> {
  const answer = await pool.query<{ imbalance: string }>(
    `SELECT coalesce(sum(abs(off)), 0) AS imbalance FROM (
       SELECT sum(amount) AS off FROM ledger_entries GROUP BY account_id, ledger_transaction_id
     ) t WHERE off <> 0`,
  );
  return Number(firstRow(answer)?.imbalance);
}

/** For how many seconds the oldest event of the outbox has been waiting to be relayed; 0 where none is. */
export async function loadOutboxLag(pool: Pool): Promise<number> {
  const answer = await pool.query<{ lag: string }>(
    `SELECT extract(epoch FROM now() - occurred_at) AS lag FROM outbox_events WHERE relayed_at IS NULL ORDER BY seq LIMIT 1`,
  );
  return Number(firstRow(answer)?.lag ?? 0);
}

/** Whether events of the outbox wait to be relayed. */
export async function hasOutboxEvents(pool: Pool): Promise<boolean> {
  const sql = 'SELECT EXISTS (SELECT FROM outbox_events WHERE relayed_at IS NULL) AS waiting';
  return firstRow(await lookAcrossAccounts<{ waiting: boolean }>(pool, sql))?.waiting ?? false;
}

/** How far a backlog is counted: what is longer is as bad. */
export const BACKLOG_CAP = 10_000;

/** How many events of the outbox wait to be relayed, at most {@link BACKLOG_CAP}. */
export function loadOutboxBacklog(pool: Pool): Promise<number> {
  return countUpToCap(pool, 'outbox_events WHERE relayed_at IS NULL');
}

/** How many webhook deliveries wait for their first attempt, at most {@link BACKLOG_CAP}. */
export function loadWebhookBacklog(pool: Pool): Promise<number> {
  return countUpToCap(pool, "webhook_deliveries WHERE stage = 'queued'");
}

async function countUpToCap(pool: Pool, rows: string): Promise<number> {
  const sql = `SELECT count(*)::integer AS waiting FROM (SELECT FROM ${rows} LIMIT ${BACKLOG_CAP}) rows`;
  return firstRow(await pool.query<{ waiting: number }>(sql))?.waiting ?? 0;
}
