import { firstRow, type Pool } from './postgres.ts';

/** Figures over all accounts, for the operator (contract 15); as floats, since Prometheus has nothing else. */

/** Invoices issued so far, by the counters that number them. */
export async function loadInvoicesIssued(pool: Pool): Promise<number> {
  const answer = await pool.query<{ issued: string }>(
    'SELECT coalesce(sum(last_number), 0) AS issued FROM invoice_counters',
  );
  return Number(firstRow(answer)?.issued);
}

/** Attempts so far to collect an invoice through a processor. */
export async function loadPaymentAttempts(pool: Pool): Promise<number> {
  const answer = await pool.query<{ attempts: string }>('SELECT count(*) AS attempts FROM payment_attempts');
  return Number(firstRow(answer)?.attempts);
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
    `SELECT coalesce(extract(epoch FROM now() - min(occurred_at)), 0) AS lag FROM outbox_events WHERE relayed_at IS NULL`,
  );
  return Number(firstRow(answer)?.lag);
}
