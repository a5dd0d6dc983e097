import { publishPastDue } from '../../services/invoices/past-due.ts';
import { listAccountsPastDue, listPastDue } from '../../sql/postgres/invoices/past-due-waits.ts';
import { inReading, inTransaction, type Pool } from '../../sql/postgres/postgres.ts';
import type { AccountSweep } from './account-sweep.ts';

/** Invoices become past due at the begin of a day; an idle look reads one index. */
const PAUSE_MS = 30_000;
/** Invoices of an account that are published in one transaction: a second's work. */
const BATCH = 200;

/**
 * Publishes which invoices of customers in real time have become past due. Nothing is lost by an outage: an invoice that has not
 * been published stays on the list.
 */
export function pastDueSweep(postgres: Pool): AccountSweep {
  return {
    name: 'past due',
    pauseMs: PAUSE_MS,
    listAccounts: (underWay) => listAccountsPastDue(postgres, underWay),
    listWork: async (accountId) => {
      const ids = await inReading(postgres, accountId, (tx) => listPastDue(tx, accountId, BATCH));
      const publish = () => inTransaction(postgres, accountId, (tx) => publishPastDue(tx, accountId, ids));
      return ids.length === 0 ? [] : [() => publish().then(() => true)];
    },
  };
}
