import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import { issueSections } from '../../services/invoices/issue-sections.ts';
import { listAccountsWithSections, listWaitingInvoices } from '../../sql/postgres/invoices/invoice-sections.ts';
import { inReading, inTransaction, type Pool } from '../../sql/postgres/postgres.ts';
import type { AccountSweep } from './account-sweep.ts';

const PAUSE_MS = 1_000;
/** Invoices of an account that are looked at before the list is read again. Those that wait for a late step stay on it. */
const BATCH = 500;

type Sweeping = { postgres: Pool; clock: Clock; log: Log };

/**
 * Issues the consolidated invoices whose sections are all there. An invoice that waits for a step stays on the list, and so does
 * what an outage has left. A failure is one payer's alone.
 */
export function sectionsSweep({ postgres, clock, log }: Sweeping): AccountSweep {
  return {
    name: 'sections',
    pauseMs: PAUSE_MS,
    listAccounts: async (underWay) => {
      const accounts = await listAccountsWithSections(postgres);
      return accounts.filter((accountId) => !underWay.includes(accountId));
    },
    listWork: async (accountId) => {
      const waiting = await inReading(postgres, accountId, (tx) => listWaitingInvoices(tx, accountId, BATCH));
      return waiting.map(({ payerId, dueAt }) => async () => {
        try {
          const issue = { accountId, payerId, dueAt };
          return (await inTransaction(postgres, accountId, (tx) => issueSections(tx, issue, clock.now()))) !== null;
        } catch (err) {
          log.error({ err, accountId, payerId }, 'a consolidated invoice could not be issued');
          return false;
        }
      });
    },
  };
}
