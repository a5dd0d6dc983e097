import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import { issueSections } from '../../services/invoices/issue-sections.ts';
import { listWaitingInvoices } from '../../sql/postgres/invoices/invoice-sections.ts';
import { inTransaction, type Pool } from '../../sql/postgres/postgres.ts';

/** Invoices looked at in one round: those that wait for a step that is late are looked at again and again, and leave room for others. */
const BATCH = 500;

type Sweeping = { postgres: Pool; clock: Clock; log: Log };

/**
 * Issues the consolidated invoices of which all sections are there; how many. What waits for a step that is still to be done stays
 * on the list, and so does what an outage has left; what fails is one payer's alone.
 */
export async function issueSectionsOnce({ postgres, clock, log }: Sweeping): Promise<number> {
  let issued = 0;
  for (const waiting of await listWaitingInvoices(postgres, BATCH)) {
    const { accountId, payerId } = waiting;
    try {
      if (await inTransaction(postgres, accountId, (tx) => issueSections(tx, waiting, clock.now()))) issued++;
    } catch (err) {
      log.error({ err, accountId, payerId }, 'a consolidated invoice could not be issued');
    }
  }
  return issued;
}
