import { issueSections } from '../services/invoices/issue-sections.ts';
import { listWaitingInvoices } from '../sql/postgres/invoices/invoice-sections.ts';
import { inTransaction, type Pool } from '../sql/postgres/postgres.ts';

/** Invoices looked at in one round. */
const BATCH = 100;

/**
 * Issues the consolidated invoices of which all sections are there; how many. What waits for a step that is still to be done stays
 * on the list, and so does what an outage has left.
 */
export async function issueSectionsOnce(postgres: Pool, now: () => number): Promise<number> {
  let issued = 0;
  for (const waiting of await listWaitingInvoices(postgres, BATCH)) {
    const invoiceId = await inTransaction(postgres, waiting.accountId, (tx) => issueSections(tx, waiting, now()));
    if (invoiceId !== null) issued++;
  }
  return issued;
}
