import type { Pool } from '../sql/postgres/postgres.ts';

/** A statement whose every row is a breach of the records: at any moment, so it runs while everything else does. */
const ALWAYS: Record<string, string> = {
  'ledger transactions sum to zero': `
    SELECT account_id, ledger_transaction_id, sum(amount) FROM ledger_entries GROUP BY 1, 2 HAVING sum(amount) <> 0`,
  'one invoice per subscription, period and kind': `
    SELECT account_id, subscription_id, period_index, kind, count(*) FROM invoices WHERE kind <> 'proration'
    GROUP BY 1, 2, 3, 4 HAVING count(*) > 1`,
  'invoice numbers have no gaps': `
    SELECT account_id, count(*), max(last_number), max(substring(invoice_number FROM '\\d+')::bigint)
    FROM invoices JOIN invoice_counters USING (account_id) GROUP BY 1
    HAVING count(*) <> max(last_number) OR count(*) <> max(substring(invoice_number FROM '\\d+')::bigint)`,
  'an invoice has one number wherever it is said': `
    SELECT e.event_id, e.data->>'invoice_number', i.invoice_number FROM outbox_events e JOIN invoices i
      ON i.account_id = e.account_id AND e.subject = 'invoice/' || i.invoice_id
    WHERE e.type = 'invoice.created' AND e.data->>'invoice_number' <> i.invoice_number
    UNION ALL SELECT credit_id, description, NULL FROM credits WHERE description LIKE '%{invoice:inv_%'
    UNION ALL SELECT line_id, description, NULL FROM invoice_lines WHERE description LIKE '%{invoice:inv_%'`,
  'the receivable is what open and uncollectible invoices say': `
    SELECT customer_id, owed, due FROM (
      SELECT t.account_id, t.customer_id, sum(e.amount) AS owed
      FROM ledger_transactions t JOIN ledger_entries e USING (account_id, ledger_transaction_id)
      WHERE e.ledger_account = 'accounts_receivable' GROUP BY 1, 2
    ) l FULL JOIN (
      SELECT account_id, customer_id, sum(amount_due) FILTER (WHERE status IN ('open', 'uncollectible')) AS due
      FROM invoices GROUP BY 1, 2
    ) i USING (account_id, customer_id) WHERE coalesce(owed, 0) <> coalesce(due, 0)`,
  'credits owed are what credits have left': `
    SELECT customer_id, owed, remaining FROM (
      SELECT t.account_id, t.customer_id, -sum(e.amount) AS owed
      FROM ledger_transactions t JOIN ledger_entries e USING (account_id, ledger_transaction_id)
      WHERE e.ledger_account = 'customer_credits' GROUP BY 1, 2
    ) l FULL JOIN (
      SELECT account_id, customer_id, sum(amount_remaining) AS remaining FROM credits GROUP BY 1, 2
    ) c USING (account_id, customer_id) WHERE coalesce(owed, 0) <> coalesce(remaining, 0)`,
  'an invoice is the sum of its lines': `
    SELECT i.invoice_id, i.subtotal, sum(l.amount) FROM invoices i LEFT JOIN invoice_lines l
      ON l.account_id = i.account_id AND l.invoice_id = i.invoice_id AND l.type <> 'credit'
    GROUP BY i.account_id, i.invoice_id, i.subtotal HAVING i.subtotal <> coalesce(sum(l.amount), 0)`,
  'what is due is the total less credits and payments': `
    SELECT invoice_id, total, credits_applied, amount_paid, amount_due FROM invoices
    WHERE status <> 'void' AND amount_due <> greatest(total, 0) - credits_applied - amount_paid`,
  'refunds are at most what was paid': `
    SELECT i.invoice_id, i.amount_paid, i.amount_refunded, sum(r.amount) FROM invoices i JOIN refunds r USING (account_id, invoice_id)
    WHERE r.status IN ('pending', 'succeeded') GROUP BY i.account_id, i.invoice_id, i.amount_paid, i.amount_refunded
    HAVING sum(r.amount) > i.amount_paid
      OR coalesce(sum(r.amount) FILTER (WHERE r.status = 'succeeded'), 0) <> i.amount_refunded`,
  'periods follow each other': `
    SELECT subscription_id, period_index FROM (
      SELECT account_id, subscription_id, period_index, starts_at, lag(ends_at) OVER w AS before, lag(period_index) OVER w AS i
      FROM periods WINDOW w AS (PARTITION BY account_id, subscription_id ORDER BY period_index)
    ) p WHERE i IS NOT NULL AND (starts_at <> before OR period_index <> i + 1)`,
};

/** Likewise, once nothing is under way any more. */
const AT_REST: Record<string, string> = {
  'every event of the outbox has been published':
    'SELECT event_id, type, subject FROM outbox_events WHERE relayed_at IS NULL',
  'no clock is advancing': `SELECT test_clock_id, status FROM test_clocks WHERE status <> 'ready' AND deleted_at IS NULL`,
  'every created subscription has its event': `
    SELECT s.subscription_id FROM subscriptions s WHERE s.previous_subscription_id IS NULL AND NOT EXISTS (
      SELECT 1 FROM outbox_events o WHERE o.subject = 'subscription/' || s.subscription_id AND o.type = 'subscription.created')`,
  'every invoice has one event of its creation': `
    SELECT i.invoice_id, count(o.*) FROM invoices i LEFT JOIN outbox_events o
      ON o.subject = 'invoice/' || i.invoice_id AND o.type = 'invoice.created'
    GROUP BY i.account_id, i.invoice_id HAVING count(o.*) <> 1`,
  'nothing is due any more on a clock that has passed it': `
    SELECT d.subject, d.kind, d.due_at FROM due_steps d JOIN test_clocks c USING (account_id, test_clock_id)
    WHERE d.due_at <= c.frozen_time AND c.deleted_at IS NULL`,
};

const SHOWN = 5;

/** The breaches of the records, in words: none where all is well. Throws while Postgres is away. */
export async function findBreaches(postgres: Pool, atRest: boolean): Promise<string[]> {
  const checks = Object.entries({ ...ALWAYS, ...(atRest ? AT_REST : {}) });
  const breaches: string[] = [];
  for (const [name, sql] of checks) {
    const { rows } = await postgres.query(sql);
    if (rows.length > 0)
      breaches.push(`not so: ${name} (${rows.length} rows): ${JSON.stringify(rows.slice(0, SHOWN))}`);
  }
  return breaches;
}

/** How much the records hold, for the summary. */
export async function countRecords(postgres: Pool): Promise<Record<string, number>> {
  const { rows } = await postgres.query<Record<string, string>>(`
    SELECT (SELECT count(*) FROM customers) AS customers, (SELECT count(*) FROM subscriptions) AS subscriptions,
      (SELECT count(*) FROM invoices) AS invoices, (SELECT count(*) FROM credits) AS credits,
      (SELECT count(*) FROM refunds) AS refunds, (SELECT count(*) FROM ledger_transactions) AS ledger_transactions,
      (SELECT count(*) FROM outbox_events) AS events`);
  return Object.fromEntries(Object.entries(rows[0] ?? {}).map(([name, count]) => [name, Number(count)]));
}
