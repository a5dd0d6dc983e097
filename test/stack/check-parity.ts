import { systemClock } from '../../runtime/clock.ts';
import { createLog } from '../../runtime/log.ts';
import { checkAccountParity } from '../../services/invoices/check-parity.ts';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import { withPostgres } from './accounts.ts';
import { stack } from './api.ts';

/** What the nightly check finds of all invoices of an account, which it computes again. */
export async function checkParity(accountId: string) {
  const clickhouse = createClickHouse(stack().clickhouse_url);
  try {
    return await withPostgres((postgres) => {
      const dependencies = { postgres, clickhouse, clock: systemClock, log: createLog('test', 'silent') };
      return checkAccountParity(dependencies, accountId, new AbortController().signal);
    });
  } finally {
    await clickhouse.close();
  }
}
