import { publishPastDue } from '../../services/invoices/past-due.ts';
import { listPastDue } from '../../sql/postgres/invoices/past-due-waits.ts';
import { inTransaction, type Pool } from '../../sql/postgres/postgres.ts';

/** Invoices told of in one round: a second's work. */
const BATCH = 200;

/**
 * Publishes those of the invoices of customers in real time that have become past due; how many were looked at. Nothing is lost by an
 * outage: what has not been published stays on its list.
 */
export async function publishPastDueOnce(postgres: Pool): Promise<number> {
  const invoices = await listPastDue(postgres, BATCH);
  for (const [accountId, own] of Map.groupBy(invoices, (invoice) => invoice.accountId)) {
    const ids = own.map(({ invoiceId }) => invoiceId);
    await inTransaction(postgres, accountId, (tx) => publishPastDue(tx, accountId, ids));
  }
  return invoices.length;
}
