import { listPastDue, tellPastDue } from '../sql/past-due.ts';
import { inTransaction, type Pool } from '../sql/postgres.ts';

/** Invoices told of in one round: a second's work. */
const BATCH = 200;

/**
 * Tells of the invoices of customers in real time that have become past due; how many were looked at. Nothing is lost by an
 * outage: what has not been told stays on its list.
 */
export async function tellPastDueOnce(postgres: Pool): Promise<number> {
  const invoices = await listPastDue(postgres, BATCH);
  for (const invoice of invoices) {
    await inTransaction(postgres, invoice.accountId, (tx) => tellPastDue(tx, invoice));
  }
  return invoices.length;
}
