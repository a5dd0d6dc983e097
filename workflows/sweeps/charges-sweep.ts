import type { Log } from '../../runtime/log.ts';
import { recordNextInvoices } from '../../services/billing/record-earlier-invoices.ts';
import { listAccountsToRecord } from '../../sql/postgres/charges/unrecorded-invoices.ts';
import type { Pool } from '../../sql/postgres/postgres.ts';

/** Accounts looked at in one round. */
const ACCOUNTS_AT_ONCE = 500;

/**
 * Records the charges of invoices that an earlier release has issued (spec/reversals#earlier-releases): of each account the next few, in a
 * transaction of their own. Returns 'more' while there may be others. An account that fails is logged, and the others go on.
 */
export async function recordChargesOnce({ postgres, log }: { postgres: Pool; log: Log }): Promise<'more' | undefined> {
  let isMore = false;
  for (const accountId of await listAccountsToRecord(postgres, ACCOUNTS_AT_ONCE)) {
    try {
      isMore = (await recordNextInvoices(postgres, accountId)) === 'more' || isMore;
    } catch (err) {
      log.error({ err, accountId }, 'charges of invoices could not be recorded');
    }
  }
  return isMore ? 'more' : undefined;
}
