import { systemClock } from '../../runtime/clock.ts';
import { createLog } from '../../runtime/log.ts';
import { checkAccountParity } from '../../services/invoices/check-parity.ts';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import { withPostgres } from './accounts.ts';
import { stack } from './api.ts';

/**
 * What the nightly check finds of all invoices of an account, which it computes again. `meanwhile` happens once, after the check has read the records of
 * the first invoice and before it counts its usage.
 */
export async function checkParity(accountId: string, meanwhile: () => Promise<unknown> = async () => {}) {
  const clickhouse = createClickHouse(stack().clickhouse_url);
  const query = clickhouse.query.bind(clickhouse);
  let left = meanwhile;
  Object.assign(clickhouse, {
    query: async (asked: Parameters<typeof query>[0]) => {
      const happens = left;
      left = async () => {};
      await happens();
      return query(asked);
    },
  });
  try {
    return await withPostgres((postgres) => {
      const dependencies = { postgres, clickhouse, clock: systemClock, log: createLog('test', 'silent') };
      return checkAccountParity(dependencies, accountId, new AbortController().signal);
    });
  } finally {
    await clickhouse.close();
  }
}
